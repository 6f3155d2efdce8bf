import { existsSync, mkdtempSync, readdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeFolder, quietly } from "../store/atomic-write.ts";
import { readText } from "../store/json-file.ts";
import { configPath, type Env } from "../store/paths.ts";
import { dropMarker } from "../store/pressure/marker.ts";
import { doctorTranscript, type PlayedSession } from "./payload.ts";

/** A store, a project and a session of the doctor's own: what a command does there touches nothing real. */
export interface World extends PlayedSession {
	store: string;
	env: Env;
}

/**
 * A private folder for the worlds: below the store, because nothing belongs into the system's temp folder, and there only
 * where the store can't be written. `remove` leaves everything as it was.
 */
export function makeScratch(root: string | null): { path: string; remove(): void } {
	if (root && existsSync(root)) {
		const run = join(root, "run");
		const madeRun = !existsSync(run);
		const path = join(run, `doctor-${process.pid}`);
		const remove = (): void => {
			rmSync(path, { recursive: true, force: true });
			if (madeRun) quietly(() => rmdirSync(run));
		};
		try {
			removeLeftovers(run);
			makeFolder(path);
			return { path, remove };
		} catch {
			quietly(remove);
		}
	}
	const path = mkdtempSync(join(tmpdir(), "ccg-doctor-"));
	return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Builds world number `n` below `folder`, with the user's `config.json` and one memory note. */
export function makeWorld(folder: string, n: number, { env, root }: { env: Env; root: string | null }): World {
	const home = join(folder, String(n));
	const store = join(home, "store");
	const project = join(home, "project");
	const transcript = join(home, "transcript.jsonl");
	const sid = `ccg-doctor-${process.pid}-${n}`;
	makeFolder(store);
	makeRepository(project);
	const config = root && readText(configPath(root));
	if (config) writeFileSync(configPath(store), config, { mode: 0o600 });
	writeFileSync(join(store, "MEMORY.md"), "- a note of ccg doctor\n", { mode: 0o600 });
	writeFileSync(transcript, doctorTranscript(sid, project, new Date()), { mode: 0o600 });
	const own = {
		CCG_HOME: store,
		CLAUDE_CODE_SESSION_ID: sid,
		CLAUDE_PROJECT_DIR: project,
		CLAUDECODE: "1",
		CLAUDE_CODE_CHILD_SESSION: "1",
	};
	return { store, project, sid, transcript, env: { ...env, ...own } };
}

/** Drops the flush marker, as pressure would. */
export function plantMarker({ store, sid }: World): void {
	dropMarker(store, sid, { at: new Date().toISOString(), tokens: 130_000, distance: 37_000, trigger: 167_000 });
}

/** A repository of its own: without one, a repository around the store (dotfiles in the home folder) would be used. */
function makeRepository(folder: string): void {
	for (const part of ["objects", "refs/heads", "info"]) makeFolder(join(folder, ".git", part));
	writeFileSync(join(folder, ".git", "HEAD"), "ref: refs/heads/main\n");
}

/** A doctor that was killed could not clean up; its process id tells that it is gone. */
function removeLeftovers(run: string): void {
	if (!existsSync(run)) return;
	for (const name of readdirSync(run)) {
		const pid = Number(/^doctor-(\d+)$/.exec(name)?.[1]);
		if (pid && !isAlive(pid)) rmSync(join(run, name), { recursive: true, force: true });
	}
}

function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as { code?: string }).code !== "ESRCH";
	}
}
