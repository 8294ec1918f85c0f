/**
 * The answer to GetProviderSchema, a byte a letter. The bundle carries it ready made (tools/provider/bundle-provider.ts); here it
 * is empty, and made when it is asked for.
 */
export const schema: string = '';
