/** What the mod uses of Claude Code's interface for mods, measured on 2.1.330. Early access: it changes between releases. */
declare module "claude-code" {
	export interface Context {
		tokens?: number;
		window: number;
		breakdown?: { autoCompactThreshold?: number; isAutoCompactEnabled: boolean; rawMaxTokens: number };
	}
	/** What a hook gets. A function it is passed to must stand at the top of a file of the mod's own. */
	export interface EngineInterface {
		plugin: { root: string };
		session: {
			id(): Promise<string>;
			cwd(): Promise<string>;
			root(): Promise<string>;
			info(): Promise<{ transcriptPath: string }>;
			version(): Promise<{ version: string; base?: string }>;
			usage(args?: { breakdown: "summary" }): Promise<{ context: Context }>;
			append(row: { message: { type: "user"; content: { type: "text"; text: string }[] } }): Promise<{ deny?: string }>;
		};
		process: {
			run(
				argv: readonly string[],
				init: { stdin?: string; env?: Record<string, string>; timeoutMs?: number },
			): Promise<{ exitCode: number; stdout: string; stderr: string }>;
		};
		clock: { after(ms: number, act: () => void): unknown };
		env: { set(name: "CCG_MOD", value: string | undefined): Promise<unknown> };
		command: { register(spec: { name: string; description: string; argumentHint?: string }): Promise<unknown> };
		ui: { status(text: string | undefined): void; log(text: string): void };
	}
	interface ToolResult {
		deny?: string;
		context?: readonly string[];
	}
	interface CompactInput {
		agentId?: string;
		trigger: "manual" | "auto" | "plugin" | "precompute";
		instructions?: string;
	}
	interface Events {
		"session.start": [{ isInteractive: boolean }, unknown];
		"session.compact": [CompactInput, { messages?: readonly { role: string; text?: string }[] }];
		"tool.call": [{ agentId?: string }, ToolResult];
		"command.run": [{ args: string }, { text?: string; isTextDisplayOnly?: true }];
		"classic.SessionStart": [{ source?: string }, unknown];
		"classic.PostToolBatch": [{ agent_id?: string; tool_calls?: { tool_use_id?: string }[] }, unknown];
	}
	type Hook<In, Out> = ($: EngineInterface, e: In, next: (e: In) => Promise<Out>) => Promise<Out>;
	/** Registers a hook. Claude Code reads the module before it runs it: `register` is a plain function, events are literals. */
	export interface On {
		<E extends keyof Events>(event: E, hook: Hook<Events[E][0], Events[E][1]>): void;
		(
			event: "command.run",
			matcher: { command: string },
			hook: Hook<Events["command.run"][0], Events["command.run"][1]>,
		): void;
	}
}

/** The kit for tests; typed by Claude Code itself where they run. */
declare module "claude-code/testing" {
	// biome-ignore lint/suspicious/noExplicitAny: a stand-in
	type Any = any;
	export const expect: Any;
	export const mock: Any;
	export function test(name: string, body: ($: Any, on: Any) => Promise<void>): void;
}
