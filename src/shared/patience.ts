/** How long a page waits for an answer before it says that none came: longer than anybody waits at a bar. */
export const CLIENT_PATIENCE_MS = 15_000;
