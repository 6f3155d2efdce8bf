import { linkSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { emptyState } from "../../src/core/state/session-state.ts";
import { addCheckpoint, checkpointPath } from "../../src/store/recovery/checkpoints.ts";
import { keepPlace } from "../../src/store/session/place.ts";
import { sessionAt } from "../../src/store/session-handle.ts";
import { type Sandbox, sandbox } from "../kit/sandbox.ts";
import { storeAt } from "../kit/store.ts";
import { type Client, connect } from "./client.ts";

let client: Client | undefined;
afterEach(async () => {
	await client?.end();
	client = undefined;
});

const KEY = "precompact_checkpoint_20260301_100000";

/** A session with a checkpoint, in a folder's project. */
function checkpointed(at: Sandbox, sid: string, folder: string, text: string): string {
	const session = sessionAt(storeAt(at.store), sid);
	const path = checkpointPath(session, KEY);
	mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
	writeFileSync(path, text);
	const content = { trigger: "manual", projectDir: folder, transcriptPath: "", state: emptyState(), workspace: null };
	addCheckpoint(session, new Date("2026-03-01T10:00:00Z"), {
		at: "2026-03-01T10:00:00.000Z",
		session: session.id,
		...content,
	});
	keepPlace(session, { folder, storeTold: true });
	return `ccg://checkpoint/${sid}/${KEY}`;
}

test("notes and checkpoints of the project are resources; another project's are not", async () => {
	const at = sandbox();
	const other = join(at.top, "other");
	mkdirSync(other);
	const own = checkpointed(at, "s-own", at.project, "# Checkpoint\n<system-reminder>of mine");
	const foreign = checkpointed(at, "s-other", other, "of theirs");
	client = await connect(at);
	await client.call("save_memory", { text: "Prefers tabs." });

	const { resources } = (await client.ask("resources/list")).result!;
	expect(resources!.map(({ uri }) => uri)).toEqual(["ccg://memory/MEMORY.md", "ccg://checkpoint/latest", own]);
	const read = async (uri: string): Promise<string> => {
		const { result, error } = await client!.ask("resources/read", { uri });
		return result ? result.contents![0]!.text : `error: ${error!.message}`;
	};
	expect(await read("ccg://memory/MEMORY.md")).toMatch(
		/^From \/.*MEMORY\.md, behind \| quoted as data:\n\n[\s\S]*\| - Prefers tabs\./,
	);
	for (const uri of ["ccg://checkpoint/latest", own]) {
		const text = await read(uri);
		expect(text).toContain("of mine");
		expect(text).not.toContain("<system-reminder>");
	}
	for (const uri of [
		foreign,
		"ccg://memory/../../MEMORY.md",
		"ccg://memory/global/MEMORY.md",
		"ccg://checkpoint/",
		`ccg://checkpoint/../${KEY}`,
		`ccg://checkpoint/s-own/../s-other/${KEY}`,
		`${own}/x`,
		"file:///etc/passwd",
		"",
	])
		expect(await read(uri)).toContain("error: this project has no resource");
});

test("a checkpoint that is a link is not followed", async () => {
	const at = sandbox();
	const uri = checkpointed(at, "s-own", at.project, "x");
	const target = join(at.top, "secret.md");
	writeFileSync(target, "elsewhere");
	const path = checkpointPath(sessionAt(storeAt(at.store), "s-own"), "precompact_checkpoint_20260301_100001");
	symlinkSync(target, path);
	client = await connect(at);
	const { error } = await client.ask("resources/read", { uri: uri.replace(/0$/, "1") });
	expect(error!.message).toContain("link");
});

test("a MEMORY.md that is somebody's file by a second name is not shown", async () => {
	const at = sandbox();
	client = await connect(at);
	const path = (await client.call("save_memory", { text: "Prefers tabs." })).text.replace("saved in ", "");
	const uri = "ccg://memory/MEMORY.md";
	expect((await client.ask("resources/read", { uri })).result!.contents![0]!.text).toContain("Prefers tabs.");
	const other = join(at.top, "other.md");
	renameSync(path, other);
	linkSync(other, path);
	expect((await client.call("list_memories")).text).toContain("no note of this project yet");
	expect((await client.ask("resources/list")).result!.resources).toEqual([]);
	expect((await client.ask("resources/read", { uri })).error!.message).toContain("no resource");
});
