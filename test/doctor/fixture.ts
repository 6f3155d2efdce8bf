import {
	chmodSync,
	copyFileSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { DoctorCheck } from "../../src/doctor/check.ts";
import { runDoctor, runStaticChecks } from "../../src/doctor/doctor.ts";
import { collectFacts, type DoctorInput } from "../../src/doctor/seen.ts";
import { planSettings } from "../../src/install/settings-plan.ts";
import type { Scope } from "../../src/install/settings-sources.ts";
import { scratch } from "../scratch-home.ts";

const REPOSITORY = join(import.meta.dirname, "..", "..");

/** A home, a project, a folder of managed settings and an installation of ccg, all in a scratch folder. */
export function makeFixture(name = "doctor") {
	const root = scratch(name);
	const folder = (part: string): string => {
		mkdirSync(join(root, part), { recursive: true });
		return join(root, part);
	};
	const fixture = {
		root,
		home: folder("home"),
		cwd: folder("project"),
		managed: folder("managed"),
		store: join(root, "home", ".claude-memory"),
		launcher: makeInstallation(folder("ccg")),
		/** Of the session; HOME is added. */
		env: {} as Record<string, string>,
	};
	const environment = () => ({ PATH: process.env.PATH, HOME: fixture.home, ...fixture.env });
	return {
		...fixture,
		environment,
		user: join(fixture.home, ".claude", "settings.json"),
		project: join(fixture.cwd, ".claude", "settings.json"),
		async install(scope: Scope = "user", launcher = fixture.launcher): Promise<void> {
			const request = { scope, env: environment(), cwd: fixture.cwd, launcher };
			await (await planSettings("install", request)).apply();
		},
		doctor(more: Partial<DoctorInput> = {}): Promise<Awaited<ReturnType<typeof runDoctor>>> {
			const { cwd, managed, launcher } = fixture;
			return runDoctor({ env: environment(), cwd, managed, launcher, onProblem: () => {}, ...more });
		},
		/** What it finds without running anything. */
		looked(more: Partial<DoctorInput> = {}): DoctorCheck[] {
			const { cwd, managed, launcher } = fixture;
			const input = { env: environment(), cwd, managed, launcher, onProblem: () => {}, ...more };
			return runStaticChecks(collectFacts(input, input.claude ?? []));
		},
	};
}

export type DoctorFixture = ReturnType<typeof makeFixture>;

/** An installation that runs this repository's bundles. Gives its launcher. */
export function makeInstallation(folder: string): string {
	for (const part of ["dist", "node_modules", "package.json"]) symlinkSync(join(REPOSITORY, part), join(folder, part));
	mkdirSync(join(folder, "bin"));
	copyFileSync(join(REPOSITORY, "bin", "ccg"), join(folder, "bin", "ccg"));
	chmodSync(join(folder, "bin", "ccg"), 0o755);
	return join(folder, "bin", "ccg");
}

/** A launcher that runs these shell lines in place of ccg. */
export function makeFake(folder: string, lines: string): string {
	mkdirSync(join(folder, "bin"), { recursive: true });
	const path = join(folder, "bin", "ccg");
	const head = readFileSync(join(REPOSITORY, "bin", "ccg"), "utf8")
		.split("\n", 2)
		.join("\n");
	writeFileSync(path, `${head}\n[ "$1" = --version ] && { echo 9.9.9; exit 0; }\n${lines}\n`, { mode: 0o755 });
	return path;
}

// biome-ignore lint/suspicious/noExplicitAny: a test knows the file it has written
export type Settings = Record<string, any>;

/** Writes a settings file, or edits the one that is there. */
export function settings(path: string, change: object | ((value: Settings) => void)): void {
	mkdirSync(dirname(path), { recursive: true });
	const value = typeof change === "function" ? JSON.parse(readFileSync(path, "utf8")) : change;
	if (typeof change === "function") change(value);
	writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** Every path below the folder with its bytes. */
export function listing(folder: string): Record<string, string> {
	const found: Record<string, string> = {};
	for (const name of readdirSync(folder)) {
		const path = join(folder, name);
		const stat = lstatSync(path);
		if (stat.isDirectory()) Object.assign(found, { [path]: "folder" }, listing(path));
		else found[path] = stat.isFile() ? readFileSync(path, "latin1") : "link";
	}
	return found;
}

export const checksOf = (
	{ checks }: Pick<Awaited<ReturnType<typeof runDoctor>>, "checks">,
	id: string,
): DoctorCheck[] => checks.filter((check) => check.id === id);
