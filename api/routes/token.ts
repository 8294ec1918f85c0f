import { exchangedKey, tokenToExchange } from '../resources/token.ts';
import { defineRoutes } from '../route.ts';

export const tokenRoutes = defineRoutes('Tokens', {
  exchangeToken: {
    method: 'POST',
    path: '/api/v2/token-exchange',
    summary: 'Exchange the token of a pipeline for an API key',
    description:
      'The key lasts minutes. Each token is taken once, where a rule of the file that the service was started with (`--trust`) fits it.',
    scope: 'none',
    limitedKeys: 'refused',
    body: { encoding: 'json', schema: tokenToExchange },
    answer: exchangedKey,
    problems: ['token_refused', 'not_found'],
  },
});
