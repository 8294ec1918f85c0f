import { exchangedKey, tokenToExchange } from '../resources/token.ts';
import { defineRoutes } from '../route.ts';

export const tokenRoutes = defineRoutes('Tokens', {
  exchangeToken: {
    method: 'POST',
    path: '/api/v2/token-exchange',
    summary: "Exchange a pipeline's token for an API key",
    description:
      'The key lasts minutes. Each token works once, and must match a rule in the file that the service was started with (`--trust`).',
    scope: 'none',
    limitedKeys: 'refused',
    body: { encoding: 'json', schema: tokenToExchange },
    answer: exchangedKey,
    problems: ['token_refused', 'not_found'],
  },
});
