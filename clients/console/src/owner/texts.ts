// Texts that only single screens of the owner's console need.

export const screenTexts = {
  noValues: 'The event has no values of this link.',
  noDay: 'This is not a complete date.',
  unknown: 'unknown',
  unknownOutcome: 'The server may have created more links than it reported. Another attempt creates none of them twice; after it, you can correct those that failed.',
};
