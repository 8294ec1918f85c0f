/** A hundred years of 365 days. */
export const maxDurationSeconds = 3_153_600_000;
