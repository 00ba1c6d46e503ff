/** A job by its number or its name. */
export type JobRef = number | string;
