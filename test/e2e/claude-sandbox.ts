/**
 * A sandbox for the real Claude Code: a scratch home with ccg installed by its own installer, a scratch project, an API on
 * loopback that answers from a script. Headless (`claude -p`) and in a terminal (tmux).
 */
import * as fs from "node:fs";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { makeSandbox } from "../../src/doctor/sandbox.ts";
import { printedBy } from "../kit/process.ts";
import { LAUNCHER, linesOf, runMeasured } from "../kit/sandbox.ts";
import { put } from "../security/kit.ts";
import { type ApiRequest, type Reply, SUMMARY, startApi } from "./loopback-api.ts";
import { says } from "./replies.ts";

const KEY = "sk-ant-dummy-000";

interface SandboxOptions {
	/** How ccg is installed; `null`: not at all. */
	install?: string[] | null;
	env?: Record<string, string>;
	/** The project's folder. */
	name?: string;
	/** What the summariser gives. */
	summary?: () => Reply;
}

/** An answer, or what happens before the next one. */
export type Step = Reply | (() => void);
export type ClaudeSandbox = ReturnType<typeof claudeSandbox>;
export type Terminal = ReturnType<typeof startTerminal>;

/**
 * `answers` are the model's in the conversation, which wait in a queue; or what gives one, and where it gives none the queue does.
 * `CLAUDE_CODE_AUTO_COMPACT_WINDOW` is the auto-compact window; 100,000 makes compaction strike at 67,000 tokens.
 */
export function claudeSandbox(
	answers: Step[] | ((request: ApiRequest) => Reply | undefined) = [],
	{
		install = ["install", "--yes"],
		env: extra = {},
		name = "project",
		summary = () => says(5_000, SUMMARY),
	}: SandboxOptions = {},
) {
	const root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "ccg-e2e-")));
	const queue: Step[] = Array.isArray(answers) ? [...answers] : [];
	let end = says(9_500, "nothing more");
	/** The queue's next answer; behind it the last one that ended a turn. */
	const next = (): Reply => {
		const step = queue[0] ?? end;
		// an error is tried again
		if ("error" in step) return step;
		queue.shift();
		if (typeof step === "function") {
			step();
			return next();
		}
		if (!step.tools?.length) end = step;
		return step;
	};
	const api = startApi((request) => {
		if (request.kind === "summary") return summary();
		if (request.kind === "other") return { text: "{}" };
		return (Array.isArray(answers) ? undefined : answers(request)) ?? next();
	});
	const machine: Record<string, string> = {
		// the installer asks Claude Code for its version
		PATH: [dirname(claudePath()), "/usr/bin", "/bin"].join(":"),
		TERM: "xterm-256color",
		LANG: "C.UTF-8",
		SHELL: "/bin/sh",
		ANTHROPIC_BASE_URL: api.url,
		ANTHROPIC_API_KEY: KEY,
		CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
		DISABLE_AUTOUPDATER: "1",
		IS_SANDBOX: "1",
		CLAUDE_CODE_AUTO_COMPACT_WINDOW: "100000",
		...extra,
	};
	const { home, project, store, machineEnv: env } = makeSandbox(root, { machine, name });
	mkdirSync(join(home, ".claude"));
	const settingsPath = join(home, ".claude", "settings.json");
	const terminals: Terminal[] = [];
	const ofKind = (wanted: ApiRequest["kind"]) => () => api.requests.filter(({ kind }) => kind === wanted);
	const made = {
		...{ home, project, store, api, env, queue },
		/** Runs `claude -p` without permission prompts and gives its JSON result. */
		claude: (prompt: string, ...args: string[]) =>
			headless(project, env, prompt, ["--dangerously-skip-permissions", ...args]),
		/** The same under the permissions of the settings. */
		strict: (prompt: string, ...args: string[]) => headless(project, env, prompt, args),
		/** Runs `ccg` with the sandbox's home. */
		ccg: (...args: string[]): string =>
			printedBy([LAUNCHER, ...args], { cwd: project, env: { HOME: home, PATH: env.PATH } }),
		/** Plays a session of several prompts, each with its answers; gives its id. */
		async play(turns: { prompt: string; replies: Reply[] }[]): Promise<string> {
			let sid = "";
			for (const { prompt, replies } of turns) {
				queue.splice(0, queue.length, ...replies);
				sid = (await made.claude(prompt, ...(sid ? ["--resume", sid] : []))).session_id;
			}
			return sid;
		},
		/** Starts Claude Code in a terminal. */
		terminal(...args: string[]): Terminal {
			terminals.push(startTerminal(root, project, env, args));
			return terminals.at(-1)!;
		},
		settings(edit: (settings: Record<string, unknown>) => void): void {
			const settings = existsSync(settingsPath) ? JSON.parse(readFileSync(settingsPath, "utf8")) : {};
			edit(settings);
			writeFileSync(settingsPath, JSON.stringify(settings, null, 2));
		},
		/** Writes the settings that a repository brings along. */
		projectSettings: (settings: object): void =>
			put(join(project, ".claude", "settings.json"), JSON.stringify(settings)),
		/** Tools that ask no permission. */
		allow: (tools: string[]): void =>
			made.settings((settings) => {
				settings.permissions = { allow: tools };
			}),
		/** Servers that the repository brings, each with its tools. */
		servers(servers: Record<string, object>): void {
			const script = join(import.meta.dirname, "tools-server.ts");
			const entries = Object.entries(servers).map(([name, tools]) => {
				const args = ["--config=/dev/null", script, JSON.stringify(tools)];
				return [name, { command: process.execPath, args, alwaysLoad: true }];
			});
			writeFileSync(join(project, ".mcp.json"), JSON.stringify({ mcpServers: Object.fromEntries(entries) }));
		},
		/** The lines of a session's transcript. */
		// biome-ignore lint/suspicious/noExplicitAny: whatever Claude Code writes
		lines(sid: string): any[] {
			const text = readFileSync(transcriptOf(made, sid), "utf8");
			return text.split("\n").flatMap((line) => (line ? [JSON.parse(line)] : []));
		},
		/** What hooks said to the user, as Claude Code recorded it. */
		toldUser: (sid: string): string =>
			made
				.lines(sid)
				.flatMap(({ attachment }) => (attachment?.type === "hook_system_message" ? [attachment.content] : []))
				.join("\n"),
		/** Writes ccg's configuration. */
		configure: (config: object): void => put(join(store, "config.json"), JSON.stringify(config)),
		/** The requests of the conversation, and those for a summary. */
		main: ofKind("main"),
		last: (): ApiRequest => made.main().at(-1)!,
		summaries: ofKind("summary"),
		async close(): Promise<void> {
			for (const terminal of terminals) terminal.end();
			await api.close();
			// a Claude Code that is going may still write
			for (const wait of [0, 500]) {
				await Bun.sleep(wait);
				fs.rmSync(root, { recursive: true, force: true, maxRetries: 3 });
			}
		},
	};
	// (what records a session for a demo or a bench runs without vitest)
	if (process.env.VITEST) onTestFinished(made.close);
	// (what a copy in the store does is tried where ways to install are: install-ways.test.ts)
	if (install) made.ccg(...install, "--in-place");
	return made;
}

export async function headless(cwd: string, env: Record<string, string>, prompt: string, args: string[]) {
	const command = [claudePath(), "-p", prompt, "--output-format", "json", ...args];
	const { out, err } = await runMeasured(command, { cwd, env, limitMs: 90_000 });
	try {
		return JSON.parse(out) as { session_id: string; result: string };
	} catch {
		throw new Error(`claude printed no JSON: ${out.slice(0, 500)} ${err.slice(0, 500)}`);
	}
}

export function claudePath(): string {
	const path = process.env.CCG_TEST_CLAUDE;
	if (path) return path;
	throw new Error(
		"start the end-to-end tests with 'npm run test:e2e': it brings Claude Code, and takes the network away",
	);
}

/** Requests of the main thread that hold `text`. */
export const holding = (requests: ApiRequest[], text: string): ApiRequest[] =>
	requests.filter((request) => everything(request).includes(text));

/** A request's messages as text, attachments included. */
export const everything = (request: ApiRequest): string => JSON.stringify(request.body.messages);

/** How often `text` occurs in a request's messages. */
export const times = (request: ApiRequest, text: string): number => everything(request).split(text).length - 1;

export function transcriptOf({ home }: Pick<ClaudeSandbox, "home">, sid: string): string {
	const [found] = fs.globSync(join(home, ".claude", "projects", "*", `${sid}.jsonl`));
	if (found) return found;
	throw new Error(`no transcript of ${sid}`);
}

/** What ccg logged: a line for each failure. */
export const logged = ({ store }: Pick<ClaudeSandbox, "store">): string =>
	linesOf(join(store, "log", "ccg.log")).join("\n");

function startTerminal(root: string, project: string, env: Record<string, string>, args: string[]) {
	const path = join(env.HOME!, ".claude.json");
	// servers that were installed
	const known = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
	const begun = {
		...{ hasCompletedOnboarding: true, theme: "dark" },
		customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
		projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
	};
	writeFileSync(path, JSON.stringify({ ...known, ...begun }));
	const socket = join(root, `tmux-${Math.random().toString(36).slice(2)}`);
	const tmux = (...words: string[]): string =>
		printedBy(["tmux", "-S", socket, ...words], { env: { ...env, HOME: root } });
	const assignments = Object.entries(env).map(([name, value]) => `${name}=${value}`);
	const start = "-f /dev/null new-session -d -x 150 -y 50 -c".split(" ");
	tmux(...start, project, "env", "-i", ...assignments, claudePath(), ...args);
	const terminal = {
		type: (text: string) => void tmux("send-keys", "-l", text),
		/** Types a message and sends it. */
		send(text: string): void {
			terminal.type(text);
			terminal.press("Enter");
		},
		/** The same; waits until the screen holds `answer`. */
		say(text: string, answer: string | RegExp): Promise<string> {
			terminal.send(text);
			return terminal.shows(answer);
		},
		/** Keys by tmux's names, e.g. `Down`, `Tab`. */
		press: (...keys: string[]) => void tmux("send-keys", ...keys),
		screen: (): string => tmux("capture-pane", "-p"),
		/** Changes how many columns the terminal has. */
		resize: (columns: number) => void tmux("resize-window", "-x", String(columns), "-y", "50"),
		/** Waits until the screen holds the text. */
		async shows(text: string | RegExp, seconds = 30): Promise<string> {
			let now = "";
			const holds = (): boolean => {
				now = terminal.screen();
				return typeof text === "string" ? now.includes(text) : text.test(now);
			};
			await until(holds, () => `${text} never came; the terminal shows:\n${now}`, seconds);
			return now;
		},
		/** Esc Esc, a message of the menu, and what is to be done from there. */
		async rewind(message: string, act: string): Promise<void> {
			terminal.press("Escape");
			await Bun.sleep(150);
			terminal.press("Escape");
			await terminal.shows("Enter to continue");
			await terminal.choose("Up", message);
			await terminal.shows("Restore conversation");
			await terminal.choose("Down", act);
		},
		/** Back to before a message: it stands in the input then, and is deleted there. */
		async goBackTo(message: string): Promise<void> {
			await terminal.rewind(message, "Restore conversation");
			const stands = (): boolean => terminal.screen().split("❯").at(-1)!.trim().startsWith(message);
			await until(stands, () => terminal.screen());
			// it takes no key in its first moments
			const isDeleted = (): boolean => {
				terminal.press("C-u");
				return !stands();
			};
			await until(isDeleted, () => terminal.screen());
		},
		/** Moves the mark of a menu onto what begins with `text`, and takes it. */
		async choose(key: string, text: string): Promise<void> {
			const marked = new RegExp(`^ +❯ (?:\\d\\. )?${text}`, "m");
			for (let tries = 0; !marked.test(terminal.screen()) && tries < 20; tries++) {
				terminal.press(key);
				await Bun.sleep(250);
			}
			await terminal.shows(marked, 1);
			terminal.press("Enter");
		},
		end(): void {
			try {
				tmux("kill-server");
			} catch {
				// it ended by itself
			}
		},
	};
	return terminal;
}

async function until(isSo: () => boolean, otherwise: () => string, seconds = 30): Promise<void> {
	for (let i = 0; !isSo(); i++) {
		if (i >= seconds * 10) throw new Error(otherwise());
		await Bun.sleep(100);
	}
}
