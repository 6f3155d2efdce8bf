/** Moved; this goes when the last test file imports `fixture.ts`. */
export * from "./fixture.ts";
export { type Fixture as House, makeFixture as makeHouse } from "./fixture.ts";
