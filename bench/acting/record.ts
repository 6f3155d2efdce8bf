import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { makeSandbox, type Sandbox } from "../../src/doctor/sandbox.ts";
import { type Reply, startApi } from "../../test/e2e/loopback-api.ts";
import { readScript, type Script } from "./script.ts";

/** A session's first moment; the next ones begin a day later each. */
const BEGINS = Date.parse("2026-11-09T08:40:00Z");
const DAY_MS = 86_400_000;
const CLAUDE = process.env.CCG_TEST_CLAUDE ?? "claude";
const MACHINE = {
	TERM: "xterm-256color",
	LANG: "C.UTF-8",
	SHELL: "/bin/sh",
	ANTHROPIC_API_KEY: "sk-ant-dummy-000",
	CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
	DISABLE_AUTOUPDATER: "1",
	IS_SANDBOX: "1",
	CLAUDE_CODE_AUTO_COMPACT_WINDOW: "400000",
	GIT_CONFIG_GLOBAL: "/dev/null",
	GIT_AUTHOR_NAME: "dev",
	GIT_AUTHOR_EMAIL: "dev@example.org",
	GIT_COMMITTER_NAME: "dev",
	GIT_COMMITTER_EMAIL: "dev@example.org",
};

/**
 * Drives Claude Code through a script, in one process, and has it compact at the end with today's kind of summary. Writes the
 * transcript, packed. `folder` holds scripts, summaries and transcripts.
 */
export async function record(folder: string, name: string, nth: number): Promise<void> {
	const summary = readFileSync(join(folder, "summaries", `${name}.new.txt`), "utf8");
	const replies: Reply[] = [];
	let tokens = 21_000;
	const api = startApi(({ kind }) => {
		if (kind === "summary") return { text: `<summary>\n${summary}</summary>`, tokens: 9_000 };
		if (kind === "other") return { text: "ok" };
		tokens += 700;
		return { ...(replies.shift() ?? { text: "Done." }), tokens };
	});
	const top = realpathSync(mkdtempSync(join(tmpdir(), "acting-")));
	const made = makeSandbox(top, {
		machine: { ...MACHINE, ANTHROPIC_BASE_URL: api.url, PATH: `${top}/programs:/usr/bin:/bin` },
	});
	try {
		const script = readScript(join(folder, "scripts", `${name}.txt`), made.project);
		prepare(made, script);
		const talk = conversation(made);
		for (const { prompt, replies: answers } of script.turns) {
			replies.push(...answers);
			await talk.say(prompt);
			if (replies.length) throw new Error(`${name}: ${replies.length} answers were not asked for: ${prompt}`);
		}
		await talk.say("/compact");
		talk.end();
		const slug = made.project.replace(/[^A-Za-z0-9]/g, "-");
		const transcript = readFileSync(join(made.home, ".claude", "projects", slug, `${talk.session()}.jsonl`), "utf8");
		const text = kept(transcript, BEGINS + nth * DAY_MS)
			.replaceAll(made.project, "{{PROJECT}}")
			.replaceAll(slug, "{{PROJECT-FOLDER}}")
			.replaceAll(top, "{{TOP}}")
			.replaceAll(talk.session(), "{{SESSION}}");
		writeFileSync(join(folder, "transcripts", `${name}.jsonl.gz`), gzipSync(text, { level: 9 }));
	} finally {
		await api.close();
		rmSync(top, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
	}
}

function prepare({ project, top, machineEnv }: Sandbox, { files, programs, setup }: Script): void {
	const put = (path: string, text: string): void => {
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, text);
	};
	for (const [name, text] of Object.entries(files)) put(join(project, name), text);
	for (const [name, text] of Object.entries(programs)) {
		put(join(top, "programs", name), text);
		chmodSync(join(top, "programs", name), 0o755);
	}
	execFileSync("/bin/sh", ["-ec", setup], { cwd: project, env: machineEnv, stdio: ["ignore", "ignore", "inherit"] });
}

/** Claude Code that reads prompts as lines of JSON: what runs in the background lives until the end. */
function conversation({ project, machineEnv }: Sandbox) {
	const options = "-p --verbose --dangerously-skip-permissions --input-format stream-json --output-format stream-json";
	const child = Bun.spawn([CLAUDE, ...options.split(" ")], {
		cwd: project,
		env: machineEnv,
		stdin: "pipe",
		stdout: "pipe",
		stderr: "inherit",
	});
	const lines = linesOf(child.stdout);
	let session = "";
	return {
		session: () => session,
		/** Says it, and waits until the turn has ended. */
		async say(content: string): Promise<void> {
			child.stdin.write(`${JSON.stringify({ type: "user", message: { role: "user", content } })}\n`);
			child.stdin.flush();
			for (let next = await lines.next(); !next.done; next = await lines.next()) {
				const event = JSON.parse(next.value);
				session = event.session_id ?? session;
				if (event.type === "result") return;
			}
			throw new Error("Claude Code ended");
		},
		end: () => child.kill(),
	};
}

async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
	const decoder = new TextDecoder();
	let rest = "";
	for await (const chunk of stream) {
		const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
		rest = lines.pop()!;
		yield* lines.filter(Boolean);
	}
}

/** What Claude Code tells of itself: not of the conversation, and its own text. */
const OWN =
	/^(environment|model|deferred_tools_delta|agent_listing_delta|skill_listing|auto_mode|remote_session_change|prompt_snapshot|silent_turn_reminder|date)$/;

/**
 * The lines of the conversation, each hung below the one before that is kept. A session was driven in seconds: its clock is set to
 * a pace at which people work.
 */
function kept(transcript: string, begins: number): string {
	let now = begins;
	const instead = new Map<string, string | null>();
	return transcript
		.split("\n")
		.filter(Boolean)
		.map((line) => JSON.parse(line))
		.map((entry) => ({ ...entry, parentUuid: instead.get(entry.parentUuid) ?? entry.parentUuid }))
		.filter((entry) => {
			const stays =
				entry.type === "attachment"
					? !OWN.test(entry.attachment.type)
					: ["user", "assistant", "system"].includes(entry.type);
			if (!stays) instead.set(entry.uuid, entry.parentUuid);
			return stays;
		})
		.map((entry, i) => {
			now += 1000 * (entry.promptSource ? 170 + ((i * 37) % 240) : 6 + ((i * 7) % 23));
			return `${JSON.stringify({ ...entry, timestamp: new Date(now).toISOString() })}\n`;
		})
		.join("");
}
