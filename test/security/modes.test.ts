import { lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { LAUNCHER, listing } from "../kit/sandbox.ts";
import { begun, play, put } from "./kit.ts";

/** Runs as a person or Claude Code does whose umask takes nothing away. */
const OPEN = ["/bin/sh", "-c", 'umask 000; exec "$0" "$@"', LAUNCHER];

const STEPS = [
	"ccg install --yes --skills --allow",
	"start startup, post-tool-batch, statusline",
	"ccg memory save a-note",
	"ccg --anyway memory save --global a-note",
	"ccg checkpoint save",
	"ccg show latest --as json --session s-1 --out out/deep/checkpoint.json",
	"ccg show --as handoff --out out/handoff.md",
	"ccg task ensure --goal a-goal",
	"ccg task checkpoint --did a-step --next another",
	"ccg index --rebuild",
	"ccg gc",
	"pre-compact, start compact, user-prompt-submit, pre-tool-use, stop, session-end",
];
const WRITES = "index.sqlite ccg.sqlite.copy settings.json recall.md checkpoint.json handoff.md MEMORY.md";

test("under umask 000 nothing that ccg writes is open to anybody else", async () => {
	const at = begun();
	for (const folder of [join(at.home, ".claude"), join(at.project, ".git"), join(at.project, "out")])
		mkdirSync(folder, { mode: 0o700 });
	put(join(at.project, ".git", "HEAD"), "ref: refs/heads/main\n");
	const all = (): string[] => [at.home, at.project].flatMap((folder) => listing(folder, ""));
	const before = new Set(all());
	const steps = STEPS.join(", ");
	const codes = (await play(at, steps, {}, { program: OPEN })).map(({ code }) => code);
	expect(codes, steps).toEqual(codes.map(() => 0));
	const written = all().filter((path) => !before.has(path));
	for (const part of WRITES.split(" ")) expect(written.join("\n")).toContain(part);
	const open = written.filter((path) => {
		const stat = lstatSync(path);
		// Bun may be a link to the package's own file, which has its mode from there
		const others = stat.isFile() && stat.nlink > 1 ? 0o022 : 0o077;
		return !stat.isSymbolicLink() && (stat.mode & others) !== 0;
	});
	expect(open).toEqual([]);
}, 120_000);
