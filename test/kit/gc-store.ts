import { mkdirSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Io } from "../../src/cli/support/io.ts";
import { scratch } from "../scratch-home.ts";
import { type Recorded, recordedIo } from "./recorded-io.ts";
import { usage } from "./usage.ts";

const DAY_S = 86_400;

/** A store whose files have the ages they are given, and what `ccg gc` said of it. */
export interface GcStore extends Recorded {
	root: string;
	/** The same, with more in the environment. */
	ioWith(env: Record<string, string>): Io;
	/** Writes a file, `days` old with the folders it lies in; gives its path. */
	put(path: string, days: number, text?: string): string;
	session(id: string, days: number, bytes?: number): string;
	sessions(): string[];
}

export function gcStore(now: Date): GcStore {
	const root = join(scratch("gc"), "store");
	mkdirSync(root);
	const env = { CCG_HOME: root };
	const recorded = recordedIo({ env, cwd: root });
	const put = (path: string, days: number, text = "{}"): string => {
		const whole = join(root, path);
		mkdirSync(dirname(whole), { recursive: true });
		writeFileSync(whole, text);
		for (let at = whole; at !== root && at.startsWith(root); at = dirname(at)) {
			const seconds = now.getTime() / 1000 - days * DAY_S;
			utimesSync(at, seconds, seconds);
		}
		return whole;
	};
	return Object.assign(recorded, {
		root,
		ioWith: (more: Record<string, string>): Io => ({ ...recorded.io, env: { ...env, ...more } }),
		put,
		session(id: string, days: number, bytes = 100) {
			const measured = { version: 1, ...usage({ model: "x".repeat(bytes) }) };
			return put(`sessions/${id}/usage.json`, days, JSON.stringify(measured));
		},
		sessions: () => readdirSync(join(root, "sessions")).sort(),
	});
}
