import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolder } from "../store/atomic-write.ts";
import { readText } from "../store/json-file.ts";
import { configPath, type Env } from "../store/paths.ts";
import { dropMarker } from "../store/pressure/marker.ts";
import { sessionAt } from "../store/session-handle.ts";
import { doctorTranscript } from "./payload.ts";
import { makeSandbox, type Sandbox } from "./sandbox.ts";

/**
 * Makes sandbox number `n` below `folder`, with the user's `config.json`, one memory note and a short session. Its commands
 * get the user's environment, and a store of their own.
 */
export function makeFixture(folder: string, n: number, { env, root }: { env: Env; root: string | null }): Sandbox {
	const sid = `ccg-doctor-${process.pid}-${n}`;
	const made = makeSandbox(join(folder, String(n)), { sid, machine: env });
	const { store, project, transcript } = made;
	makeFolder(store);
	makeRepository(project);
	const config = root && readText(configPath(root));
	if (config) writeFileSync(configPath(store), config, { mode: 0o600 });
	writeFileSync(join(store, "MEMORY.md"), "- a note of ccg doctor\n", { mode: 0o600 });
	writeFileSync(transcript, doctorTranscript(sid, project, new Date()), { mode: 0o600 });
	const own = { HOME: env.HOME ?? made.home, CCG_HOME: store, CLAUDECODE: "1", CLAUDE_CODE_CHILD_SESSION: "1" };
	return { ...made, env: { ...made.env, ...own } };
}

/** Drops the flush marker, as pressure would. */
export function plantMarker({ store, sid }: Sandbox): void {
	dropMarker(sessionAt({ root: store, tell: () => {} }, sid), {
		at: new Date().toISOString(),
		tokens: 130_000,
		distance: 37_000,
		trigger: 167_000,
	});
}

/** A repository of its own: without one, a repository around the store (dotfiles in the home folder) would be used. */
function makeRepository(folder: string): void {
	for (const part of ["objects", "refs/heads", "info"]) makeFolder(join(folder, ".git", part));
	writeFileSync(join(folder, ".git", "HEAD"), "ref: refs/heads/main\n");
}
