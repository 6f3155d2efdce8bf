import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { scratch } from "../scratch-home.ts";
import { LAUNCHER, run } from "./sandbox.ts";

/** A home whose machine shares by real commands. */
export function homeAt(base: string, name: string, project = join(base, name, "app")) {
	const home = join(base, name);
	mkdirSync(project, { recursive: true });
	const store = join(home, ".claude-memory");
	const ccgIn = (cwd: string, ...args: string[]) =>
		run([LAUNCHER, ...args], { env: { HOME: home, PATH: "/usr/bin:/bin", USER: name }, cwd });
	const ccg = (...args: string[]) => ccgIn(project, ...args);
	const json = async (...args: string[]) => JSON.parse((await ccg(...args, "--json")).out);
	return {
		...{ home, project, store, ccg, ccgIn, json },
		shared: (name = "app") => {
			const key = readdirSync(join(store, "projects")).find((one) => one.startsWith(`${name}-`)) ?? "";
			return readFileSync(join(store, "projects", key, "shared.md"), "utf8");
		},
		memory: () => {
			const [key = ""] = readdirSync(join(store, "projects"));
			return readFileSync(join(store, "projects", key, "MEMORY.md"), "utf8");
		},
		/** Makes the space, and shares the project as a new one; gives its id in the space. */
		async init(place: string, ...more: string[]): Promise<string> {
			const { code, err } = await ccg("sync", "init", place, "--project", "new", "--yes", ...more);
			if (code !== 0) throw new Error(err);
			return (await json("sync", "status")).projects[0].id;
		},
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

/** Takes a machine in by what the owner shares by, on a server with his invitation, as `invited` says. Gives the code that it shows. */
export async function joins(owner: Home, other: Home, ...invited: string[]): Promise<string> {
	const { address } = await owner.json("sync", "status");
	const isServer = address.startsWith("postgres:");
	const invitation = isServer ? /--invitation (\S+)/.exec((await owner.ccg("sync", "join", ...invited)).out)! : [];
	const asked = await other.ccg("sync", "join", address, ...(isServer ? ["--invitation", invitation[1]!] : []));
	const [, confirm] = /ccg sync join ([0-9a-f-]{23})/.exec(asked.out)!;
	const taken = await owner.ccg("sync", "join", confirm!, ...(isServer ? [] : invited));
	if (taken.code !== 0) throw new Error(taken.err);
	await other.ccg("sync", "now");
	return confirm!;
}

/** The same, and the machine shares the project too. */
export async function joinsFor(project: string, owner: Home, other: Home, ...invited: string[]): Promise<void> {
	await joins(owner, other, ...invited);
	const { code, err } = await other.ccg("sync", "init", "--project", project, "--yes");
	if (code !== 0) throw new Error(err);
}
