/**
 * A sandbox for the real Claude Code: a scratch home with ccg installed by its own installer, a scratch project, an API on
 * loopback that answers from a script. Headless (`claude -p`) and in a terminal (tmux).
 */
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { makeSandbox } from "../../src/doctor/sandbox.ts";
import { printedBy } from "../kit/process.ts";
import { LAUNCHER, runMeasured } from "../kit/sandbox.ts";
import { type Api, type ApiRequest, type Script, startApi } from "./loopback-api.ts";

const KEY = "sk-ant-dummy-000";

/** Where `scripts/test-e2e` has ccg run on Node. */
const ON_NODE = process.env.CCG_TEST_NODE ? [dirname(process.env.CCG_TEST_NODE)] : [];

export interface ClaudeSandbox {
	home: string;
	project: string;
	store: string;
	api: Api;
	env: Record<string, string>;
	/** Runs `claude -p` without permission prompts and gives its JSON result. */
	claude(prompt: string, ...args: string[]): Promise<{ session_id: string; result: string }>;
	/** The same under the permissions of the settings. */
	strict(prompt: string, ...args: string[]): Promise<{ session_id: string; result: string }>;
	/** Runs `ccg` with the sandbox's home. */
	ccg(...args: string[]): string;
	/** Starts Claude Code in a terminal. */
	terminal(...args: string[]): Terminal;
	settings(edit: (settings: Record<string, unknown>) => void): void;
	close(): Promise<void>;
}

export interface Terminal {
	type(text: string): void;
	enter(): void;
	/** Keys by tmux's names, e.g. `Down`, `Tab`. */
	press(...keys: string[]): void;
	screen(): string;
	/** The same with its colours, as the terminal's codes. */
	painted(): string;
	/** Changes how many columns the terminal has. */
	resize(columns: number): void;
	/** Waits until the screen holds the text. */
	shows(text: string | RegExp, seconds?: number): Promise<string>;
	end(): void;
}

/** `window` is the auto-compact window; 100,000 makes compaction strike at 67,000 tokens. */
export function claudeSandbox(
	script: Script,
	{
		install = ["install", "--yes"],
		env: extra = {},
		startIn = ".",
	}: {
		install?: string[] | null;
		env?: Record<string, string>;
		/** Where in the project, which is the folder that is trusted, a terminal starts. */
		startIn?: string;
	} = {},
): ClaudeSandbox {
	const root = realpathSync(mkdtempSync(join(tmpdir(), "ccg-e2e-")));
	const api = startApi(script);
	const machine: Record<string, string> = {
		// the installer asks Claude Code for its version
		PATH: [dirname(claudePath()), ...ON_NODE, "/usr/bin", "/bin"].join(":"),
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
	const { home, project, store, machine: env } = makeSandbox(root, { machine });
	mkdirSync(join(home, ".claude"));
	const settingsPath = join(home, ".claude", "settings.json");
	const terminals: Terminal[] = [];
	const made: ClaudeSandbox = {
		home,
		project,
		store,
		api,
		env,
		claude: (prompt, ...args) => headless(project, env, prompt, ["--dangerously-skip-permissions", ...args]),
		strict: (prompt, ...args) => headless(project, env, prompt, args),
		ccg: (...args) => printedBy([LAUNCHER, ...args], { cwd: project, env: { HOME: home, PATH: env.PATH } }),
		terminal(...args) {
			const terminal = startTerminal(root, project, env, args, join(project, startIn));
			terminals.push(terminal);
			return terminal;
		},
		settings(edit) {
			const settings = existsSync(settingsPath) ? JSON.parse(readFileSync(settingsPath, "utf8")) : {};
			edit(settings);
			writeFileSync(settingsPath, JSON.stringify(settings, null, 2));
		},
		async close() {
			for (const terminal of terminals) terminal.end();
			await api.close();
			// a Claude Code that is going may still write
			for (const wait of [0, 500]) {
				await Bun.sleep(wait);
				rmSync(root, { recursive: true, force: true, maxRetries: 3 });
			}
		},
	};
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
	if (!path)
		throw new Error(
			"start the end-to-end tests with 'npm run test:e2e': it brings Claude Code and takes the network away",
		);
	return path;
}

/** Requests of the main thread that hold `text`. */
export const holding = (requests: ApiRequest[], text: string): ApiRequest[] =>
	requests.filter((request) => everything(request).includes(text));

/** A request's messages as text, attachments included. */
export const everything = (request: ApiRequest): string => JSON.stringify(request.body.messages);

/** How often `text` occurs in a request's messages. */
export const times = (request: ApiRequest, text: string): number => everything(request).split(text).length - 1;

export const bash = (command: string) => ({ name: "Bash", input: { command, description: "a step" } });

export function transcriptOf(made: ClaudeSandbox, sid: string): string {
	const folder = join(made.home, ".claude", "projects");
	for (const name of readdirSync(folder)) {
		const path = join(folder, name, `${sid}.jsonl`);
		if (existsSync(path)) return path;
	}
	throw new Error(`no transcript of ${sid}`);
}

/** What ccg logged: a line for each failure. */
export function logged(made: ClaudeSandbox): string {
	const path = join(made.store, "log", "ccg.log");
	return existsSync(path) ? readFileSync(path, "utf8") : "";
}

function startTerminal(
	root: string,
	project: string,
	env: Record<string, string>,
	args: string[],
	folder: string,
): Terminal {
	mkdirSync(folder, { recursive: true });
	const path = join(env.HOME!, ".claude.json");
	const known = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
	writeFileSync(
		path,
		JSON.stringify({
			// servers that were installed
			...known,
			hasCompletedOnboarding: true,
			theme: "dark",
			customApiKeyResponses: { approved: [KEY.slice(-20)], rejected: [] },
			projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
		}),
	);
	const socket = join(root, `tmux-${Math.random().toString(36).slice(2)}`);
	const tmux = (...words: string[]): string =>
		printedBy(["tmux", "-S", socket, ...words], { env: { ...env, HOME: root } });
	const assignments = Object.entries(env).map(([name, value]) => `${name}=${value}`);
	tmux(
		"-f",
		"/dev/null",
		"new-session",
		"-d",
		"-x",
		"150",
		"-y",
		"50",
		"-c",
		folder,
		"env",
		"-i",
		...assignments,
		claudePath(),
		...args,
	);
	const screen = (): string => tmux("capture-pane", "-p");
	return {
		type: (text) => void tmux("send-keys", "-l", text),
		enter: () => void tmux("send-keys", "Enter"),
		press: (...keys) => void tmux("send-keys", ...keys),
		screen,
		painted: () => tmux("capture-pane", "-e", "-p"),
		resize: (columns) => void tmux("resize-window", "-x", String(columns), "-y", "50"),
		async shows(text, seconds = 30) {
			for (let i = 0; i < seconds * 10; i++) {
				const now = screen();
				if (typeof text === "string" ? now.includes(text) : text.test(now)) return now;
				await Bun.sleep(100);
			}
			throw new Error(`the terminal never showed ${text}; it shows:\n${screen()}`);
		},
		end() {
			try {
				tmux("kill-server");
			} catch {
				// it ended by itself
			}
		},
	};
}
