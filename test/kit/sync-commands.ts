import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { scratch } from "../scratch-home.ts";
import { LAUNCHER, run } from "./sandbox.ts";

/** A home whose machine shares by real commands. */
export function homeAt(base: string, name: string, project = join(base, name, "app"), user = name) {
	const home = join(base, name);
	mkdirSync(project, { recursive: true });
	const store = join(home, ".claude-memory");
	const env = { HOME: home, PATH: "/usr/bin:/bin", USER: user };
	const ccg = (...args: string[]) => run([LAUNCHER, ...args], { env, cwd: project });
	const must = async (...args: string[]): Promise<string> => {
		const { code, out, err } = await ccg(...args);
		if (code !== 0) throw new Error(err);
		return out;
	};
	const json = async (...args: string[]) => JSON.parse((await ccg(...args, "--json")).out);
	return {
		...{ home, project, store, ccg, json },
		shared: (name = "app") => {
			const key = readdirSync(join(store, "projects")).find((one) => one.startsWith(`${name}-`)) ?? "";
			return readFileSync(join(store, "projects", key, "shared.md"), "utf8");
		},
		must,
		init: (place: string) => must("sync", "init", place, "--project", "app", "--yes"),
	};
}
export type Home = ReturnType<typeof homeAt>;

/** Two homes, and a folder that both see. */
export function twoHomes(name: string, folder = "shared") {
	const base = scratch(name);
	const place = join(base, folder);
	mkdirSync(place);
	return { base, place, ann: homeAt(base, "ann"), bob: homeAt(base, "bob") };
}

/** Lets a machine in, which then shares the project too. A server's login has no code. */
export async function joins(member: Home, other: Home, as?: string): Promise<void> {
	const { address } = await member.json("sync", "status");
	const [, code] = /ccg sync join ([0-9a-f-]{23})/.exec(await other.must("sync", "join", as ?? address)) ?? [];
	if (code) await member.must("sync", "join", code);
	await other.must("sync", "init", "--project", "app", "--yes");
	await member.must("sync", "now");
}
