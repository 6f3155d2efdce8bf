import { type Dirent, readdirSync } from "node:fs";
import { quietly } from "./quietly.ts";

/** The names in a folder, in order; none where it can't be read. */
export const namesIn = (folder: string): string[] => quietly(() => readdirSync(folder).sort()) ?? [];

/** What a folder holds; nothing where it can't be read. */
export const entriesOf = (folder: string): Dirent[] =>
	quietly(() => readdirSync(folder, { withFileTypes: true })) ?? [];
