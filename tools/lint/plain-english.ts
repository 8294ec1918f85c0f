import type { Rule } from 'eslint';

const QUESTION_WORDS = 'What|Whether|How|Which|Who|Whose|Where|When';
const QUESTION = new RegExp(String.raw`^\*\s*(?:\*\s*)?(${QUESTION_WORDS})\b`);

/** Names that are a pronoun, a participle or a particle, and so do not tell the reader which thing they hold. */
const NAMES_WITHOUT_NOUN = ['one', 'found', 'known', 'before', 'each', 'own'];

const lostName = `[name=/^(${NAMES_WITHOUT_NOUN.join('|')})$/]`;

/** Places that declare a name. Object literals and shorthand patterns take over a name that is declared elsewhere. */
const DECLARED_NAMES = [
  `VariableDeclarator > Identifier.id${lostName}`,
  `:function > Identifier.id${lostName}`,
  `:function > Identifier.params${lostName}`,
  `:not(Property) > AssignmentPattern > Identifier.left${lostName}`,
  `ArrayPattern > Identifier${lostName}`,
  `RestElement > Identifier${lostName}`,
  `ObjectPattern > Property[shorthand=false] > Identifier.value${lostName}`,
  `:matches(TSFunctionType, TSMethodSignature, TSCallSignatureDeclaration) > Identifier.params${lostName}`,
  `:matches(PropertyDefinition, MethodDefinition, TSPropertySignature, TSMethodSignature) > Identifier.key${lostName}`,
  `:matches(PropertyDefinition, MethodDefinition) > PrivateIdentifier.key${lostName}`,
];

/** True if `before` is a field, as in the interface of the service, or stands beside `after`: the two states of a change. */
function isClearBefore({ parent }: Rule.Node): boolean {
  if (parent === null) return false;
  if ('key' in parent) return true;
  const siblings = 'params' in parent ? parent.params : 'elements' in parent ? parent.elements : [];
  return siblings.some((sibling) => sibling?.type === 'Identifier' && sibling.name === 'after');
}

const docstringStart: Rule.RuleModule = {
  meta: {
    type: 'suggestion',
    docs: { description: 'A docstring begins with a verb or a noun.' },
    schema: [],
    messages: {
      question:
        'A docstring begins with a verb or a noun, not with "{{word}}": say what it is or does (a boolean: "True if …").',
    },
  },
  create: (context) => ({
    Program() {
      for (const comment of context.sourceCode.getAllComments()) {
        const word = comment.type === 'Block' ? QUESTION.exec(comment.value)?.[1] : undefined;
        if (word !== undefined && comment.loc)
          context.report({ loc: comment.loc, messageId: 'question', data: { word } });
      }
    },
  }),
};

const nounNames: Rule.RuleModule = {
  meta: {
    type: 'suggestion',
    docs: { description: 'A declared name is a noun.' },
    schema: [],
    messages: { noNoun: 'A name is a noun, not "{{name}}": name the thing that it holds.' },
  },
  create: (context) => ({
    [DECLARED_NAMES.join(',')](node: Rule.Node) {
      if (node.type !== 'Identifier' && node.type !== 'PrivateIdentifier') return;
      if (node.name === 'before' && isClearBefore(node)) return;
      context.report({ node, messageId: 'noNoun', data: { name: node.name } });
    },
  }),
};

/** Rules of this repository for docstrings and names, as CONTRIBUTING.md states them. */
export const plainEnglish = { rules: { 'docstring-start': docstringStart, 'noun-names': nounNames } };
