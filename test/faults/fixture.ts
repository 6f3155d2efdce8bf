import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeSandbox, type Sandbox, sessionFields } from "../../src/doctor/sandbox.ts";
import { Transcript } from "../kit/events.ts";
import { printedBy } from "../kit/process.ts";
import type { Command } from "./strace.ts";

const REPO = join(import.meta.dirname, "../..");

export const SID = "s-1";
export const WORDS = "Never touch the billing schema.";
export const LATER_WORDS = "From now on run the tests with three workers.";

/** A home with a store, and a project outside of git: no other process than ours writes. */
export interface FaultFixture extends Sandbox {
	/** The folders whose calls are struck. */
	watched: string[];
}

export function makeFixture(top: string): FaultFixture {
	rmSync(top, { recursive: true, force: true });
	const made = makeSandbox(top);
	const { home, store, project } = made;
	mkdirSync(join(home, ".claude"));
	// what a path is about to strike is done by its own command, and by nothing beside it
	mkdirSync(store, { recursive: true, mode: 0o700 });
	writeFileSync(join(store, "config.json"), '{"checkpoints":{"usageShare":0,"minutes":0,"phases":false}}', {
		mode: 0o600,
	});
	const transcript = new Transcript(project, new Date(Date.now() - 3600_000))
		.typed(WORDS)
		.call("Edit", { file_path: join(project, "a.ts") }, "The file has been updated.")
		.usage(150_000)
		.write(join(top, "t.jsonl"));
	return { ...made, transcript, watched: [store, join(home, ".claude"), join(project, ".context")] };
}

/** The session goes on: more words, and a compaction's boundary where wanted. */
export function goOn({ transcript, project }: FaultFixture, { boundary = false } = {}): void {
	const more = new Transcript(project, new Date()).typed(LATER_WORDS).usage(155_000);
	if (boundary) more.boundary();
	// lines of their own, also by their ids
	appendFileSync(transcript, more.text().replaceAll(`"uuid":"`, `"uuid":"later-`));
}

export const hook = (at: FaultFixture, name: string, fields: object): Command =>
	command(at, [`dist/hooks/${name}.js`], {
		...sessionFields(at),
		...fields,
	});

export const ccg = (at: FaultFixture, ...args: string[]): Command => command(at, ["dist/src/cli/main.js", ...args], "");

export const statusLine = (at: FaultFixture, tokens: number): Command =>
	command(at, ["dist/statusline/statusline.js"], {
		session_id: SID,
		model: { id: "claude-sonnet-4-6", display_name: "Sonnet" },
		context_window: { context_window_size: 200_000, current_usage: { input_tokens: tokens } },
	});

/** Bun itself, not through the launcher: strace follows one process. */
function command({ home, project }: FaultFixture, [script, ...args]: string[], input: object | string): Command {
	return {
		argv: [process.execPath, "--config=/dev/null", "--no-env-file", join(REPO, script!), ...args],
		env: { PATH: "/usr/bin:/bin", HOME: home, TZ: "UTC" },
		cwd: project,
		input: typeof input === "string" ? input : JSON.stringify(input),
	};
}

/** The fixture as it is now, to come back to. */
export function snapshot({ top }: FaultFixture): { restore(): void } {
	const kept = `${top}.kept`;
	rmSync(kept, { recursive: true, force: true });
	copy(top, kept);
	return {
		restore: () => {
			rmSync(top, { recursive: true, force: true });
			copy(kept, top);
		},
	};
}

/** With the times of folders, which `cpSync` does not keep. */
const copy = (from: string, to: string): void => void printedBy(["cp", "-a", from, to]);

export const textOf = (path: string): string | null => {
	try {
		return readFileSync(path, "utf8");
	} catch {
		return null;
	}
};
