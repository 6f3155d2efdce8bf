import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach } from "vitest";
import { tellOnce } from "../../src/store/problems.ts";
import type { Store } from "../../src/store/session-handle.ts";
import { storeAt } from "./store.ts";

/** What the store said of its files in the test that runs. */
export let problems: string[] = [];

beforeEach(() => {
	problems = [];
});

/** A store whose problems are kept, each once. */
export const listened = (root: string): Store =>
	storeAt(
		root,
		tellOnce(({ text }) => problems.push(text)),
	);

/** Writes a file below a folder; gives its path. */
export function put(root: string, file: string, text: string): string {
	const path = join(root, file);
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, text);
	return path;
}
