export default {
  terse: {
    input: process.env.DOCUMENT,
    output: {
      target: 'terse.ts',
      client: 'fetch',
      baseUrl: { getBaseUrlFromSpecification: true },
    },
  },
};
