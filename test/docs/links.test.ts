import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { Glob } from "bun";
import { describe, expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");
const SCAN = { cwd: ROOT, onlyFiles: false };
const markdown = (folder: string): string[] =>
	readdirSync(join(ROOT, folder))
		.filter((name) => name.endsWith(".md"))
		.map((name) => join(folder, name));
const documents = [".", "docs", "bench"].flatMap(markdown);

/** Relative links and pictures of a document, outside of code. */
function links(file: string): string[] {
	const text = readFileSync(join(ROOT, file), "utf8").replace(/^```[\s\S]*?^```/gm, "");
	return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, to]) => to!).filter((to) => !/^[a-z]+:/.test(to));
}

/** The names GitHub gives to the headings of a document. */
function anchors(file: string): string[] {
	const text = readFileSync(join(ROOT, file), "utf8").replace(/^```[\s\S]*?^```/gm, "");
	return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
		heading!
			.toLowerCase()
			.replace(/[^\p{L}\p{N} _-]/gu, "")
			.replaceAll(" ", "-"),
	);
}

describe("each link leads to a file that is there, and to a heading of it", () => {
	test.each(documents)("%s", (file) => {
		const broken = links(file).filter((to) => {
			const [path, anchor] = to.split("#");
			const target = path ? relative(ROOT, resolve(ROOT, dirname(file), path)) : file;
			return !existsSync(join(ROOT, target)) || (anchor !== undefined && !anchors(target).includes(anchor));
		});
		expect(broken).toEqual([]);
	});
});

test("each path of the repository that a document names is there", () => {
	const named = documents.flatMap((file) =>
		[...readFileSync(join(ROOT, file), "utf8").matchAll(/`((?:src|test|scripts|bench|hooks|docs)\/[\w./*-]+)`/g)].map(
			([, path]) => `${file}: ${path}`,
		),
	);
	expect(named.length).toBeGreaterThan(50);
	expect(
		named.filter((one) => [...new Glob(one.split(": ")[1]!.replace(/\/$/, "")).scanSync(SCAN)].length === 0),
	).toEqual([]);
});

test("the README leads to every document in docs", () => {
	const linked = new Set(["README.md", ...markdown("docs")].flatMap((file) => reached(file)));
	expect(markdown("docs").filter((file) => !linked.has(file))).toEqual([]);
});

const reached = (file: string): string[] =>
	links(file).map((to) => relative(ROOT, resolve(ROOT, dirname(file), to.split("#")[0]!)));
