/** Attacks as data: `scenes.json` says in what session each group is tried, what is played then, and what must come of it. */
import { lstatSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { tryOrUndefined } from "../../src/files/quietly.ts";
import { LAUNCHER, listing, type Sandbox } from "../kit/sandbox.ts";
import { type AttackGroup, attacksOf, begun, begunInRepository, plant, play, textsBelow } from "./kit.ts";
import SCENES from "./scenes.json";

interface Scene {
	in?: "repository";
	/** Lines of a script before the attack's own, which may use what they set. */
	before?: string[];
	/** A group of `attacks.json`, but those whose name begins so; or attacks of the scene's own. */
	attacks: AttackGroup | Record<string, string[]>;
	but?: string;
	/** Each attack is tried with each of these as FILE. */
	files?: string[];
	env?: Record<string, string>;
	/** What is started in place of the launcher. */
	program?: "$FILE";
	/** What each step ends with (`null`: whatever) and prints on stdout and stderr. */
	steps?: [steps: string, code?: number | null, out?: string, err?: string][];
	/** Lines of a script behind the steps: what it prints counts too. */
	after?: string[];
	says?: string[];
	never?: string[];
	/** No file of the store holds this. */
	neverKept?: string[];
}

/** Tries all that `scenes.json` has about something. What lies outside of project and store, and in `.git`, stays as it was. */
export function testScenes(about: keyof typeof SCENES): void {
	const scenes = Object.entries(SCENES[about] as unknown as Record<string, Scene>);
	describe.each(scenes)("%s", (title, scene) => {
		const { attacks, but, files = [""] } = scene;
		const all = attacksOf(attacks).filter(([name]) => !but || !name.startsWith(but));
		const cases = files.flatMap((file) =>
			all.map(([name, script]) => [`${name} ${file}`.trim(), script, file] as const),
		);
		test.concurrent.each(cases)("%s", (name, script, file) =>
			expectHeld(scene, script, file, `${title} ${name}`.includes("harmless: ")),
		);
	});
}

async function expectHeld(scene: Scene, script: string, file: string, isHarmless: boolean): Promise<void> {
	const at = scene.in === "repository" ? begunInRepository() : begun();
	const { before = [], steps = [], after = [":"], says = [], never = [], neverKept = [] } = scene;
	const places: Record<string, string> = { $PROJECT: at.project, $STORE: at.store, $CCG: LAUNCHER };
	const names = { CCG: LAUNCHER, FILE: file.replace(/^\$[A-Z]+/, (name) => places[name]!) };
	const printed = plant(at, [...before, script].join("\n"), names);
	const project = printed.startsWith("/") ? printed : at.project;
	const variables = Object.fromEntries([...printed.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value!]));
	const env = { ...at.env, CLAUDE_PROJECT_DIR: project, ...scene.env, ...variables };
	const unchanged = placesOutside(at);
	const options = { limitMs: 10_000, program: [scene.program ? names.FILE : LAUNCHER] };
	const said: string[] = [];
	for (const [names, code = 0, out = "", err = ""] of steps)
		for (const ran of await play({ ...at, project, env }, names.replace("$FILE", file), {}, options)) {
			expect(ran).toMatchObject({ timedOut: false, out: expect.stringMatching(out), err: expect.stringMatching(err) });
			if (code !== null) expect(ran).toMatchObject({ code });
			said.push(ran.out);
		}
	if (!isHarmless) expect(placesOutside(at)).toEqual(unchanged);
	said.push(...textsBelow(join(at.store, "sessions", at.sid, "checkpoints")).map(({ text }) => text));
	said.push(plant(at, after.join("\n"), names, project));
	for (const words of says) expect(said.join("\n")).toContain(words);
	for (const words of never) expect(said.join("\n")).not.toContain(words);
	for (const words of neverKept) expect(textsBelow(at.store).filter(({ text }) => text.includes(words))).toEqual([]);
}

/** Each path with what tells whether it was written to or replaced; of the store what is no plain file. */
function placesOutside({ top, project, store }: Sandbox): string[] {
	const real = tryOrUndefined(() => realpathSync(store)) ?? store;
	const outside = listing(top, project).filter((path) => !path.startsWith(store) && !path.startsWith(real));
	const git = tryOrUndefined(() => listing(join(project, ".git"), "")) ?? [];
	// (but the short command, which ccg puts there)
	const bent = (tryOrUndefined(() => listing(real, join(real, "ccg"))) ?? []).filter((path) =>
		kindOf(path).startsWith("other"),
	);
	return [...outside, ...git, ...bent].map((path) => `${path}: ${kindOf(path)}`);
}

function kindOf(path: string): string {
	const stat = lstatSync(path);
	if (stat.isDirectory()) return "folder";
	return `${stat.isFile() ? "file" : "other"} ${stat.ino} ${stat.size} ${stat.mtimeMs}`;
}
