import { lstatSync } from "node:fs";
import { expect, test } from "vitest";
import { LAUNCHER, listing } from "../kit/sandbox.ts";
import { begun, plant, play } from "./kit.ts";
import MODES from "./modes.json";

/** Runs as a person or Claude Code does whose umask takes nothing away. */
const OPEN = ["/bin/sh", "-c", 'umask 000; exec "$0" "$@"', LAUNCHER];

test("under umask 000 nothing that ccg writes is open to anybody else", async () => {
	const at = begun();
	plant(at, "mkdir -m 700 $HOME/.claude .git out; echo ref: refs/heads/main >.git/HEAD");
	const all = (): string[] => [at.home, at.project].flatMap((folder) => listing(folder, ""));
	const before = new Set(all());
	const codes = (await play(at, MODES.steps.join(", "), {}, { program: OPEN })).map(({ code }) => code);
	expect(codes).toEqual(MODES.steps.map(() => 0));
	const written = all().filter((path) => !before.has(path));
	for (const part of MODES.writes) expect(written.join("\n")).toContain(part);
	const open = written.filter((path) => {
		const stat = lstatSync(path);
		// Bun may be a link to the package's own file, which has its mode from there
		const others = stat.isFile() && stat.nlink > 1 ? 0o022 : 0o077;
		return !stat.isSymbolicLink() && (stat.mode & others) !== 0;
	});
	expect(open).toEqual([]);
}, 120_000);
