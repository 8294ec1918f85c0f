export const requestIdHeader = 'x-request-id';

/** Fastify adds a charset, which JSON does not have, to a text that goes through no serializer. */
export const asIs = (text: string): string => text;
