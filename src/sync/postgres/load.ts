/** By a path that the bundler does not see through (see `open.ts`). */
export const postgres = (file = `${import.meta.dirname}/open`): typeof import("./open.ts") => require(file);
