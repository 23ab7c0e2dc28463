export default {
  input: process.env.DOCUMENT,
  output: { path: 'terse-client', importFileExtension: '.js' },
};
