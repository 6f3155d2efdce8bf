/**
 * Makes a release: version, changelog, notices, example settings, bundles, the plugin's folder; looks whether all agrees, commits and tags.
 *
 *   npm run release -- 0.3.0            in a clean checkout
 *   npm run release -- 0.3.0 --no-tag   the same without commit and tag
 *   npm run release -- --check          only look whether all agrees with the version in package.json
 *
 * What is published is made by .github/workflows/release.yml, from the tag.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { filesIn, makePlugin } from "./make-plugin.ts";

const ROOT = resolve(import.meta.dirname, "..");
const VERSION = /^\d+\.\d+\.\d+$/;

/** What is wrong with a checkout as a release of its own version; nothing when all agrees. `dist/` must be built. */
export function disagreements(root: string): string[] {
	const read = (path: string): string => {
		try {
			return readFileSync(join(root, path), "utf8");
		} catch {
			return "{}";
		}
	};
	const json = (path: string) => JSON.parse(read(path));
	const { version, dependencies } = json("package.json");
	const found: [string, unknown][] = [
		["package-lock.json", json("package-lock.json").version],
		["plugins/ccg/.claude-plugin/plugin.json", json("plugins/ccg/.claude-plugin/plugin.json").version],
		["plugins/ccg/package.json", json("plugins/ccg/package.json").version],
	];
	const wrong = found.flatMap(([path, has]) =>
		has === version ? [] : [`${path} has version ${has}, package.json ${version}`],
	);
	const bun = json("plugins/ccg/package.json").dependencies?.bun;
	if (bun !== dependencies.bun) wrong.push(`the plugin depends on Bun ${bun}, package.json on ${dependencies.bun}`);
	if (!read("CHANGELOG.md").includes(`\n## ${version} (`)) wrong.push(`CHANGELOG.md has no section of ${version}`);
	const { plugins } = json(".claude-plugin/marketplace.json");
	if (!plugins?.some(({ source }: { source: unknown }) => source === "./plugins/ccg"))
		wrong.push(".claude-plugin/marketplace.json does not name ./plugins/ccg");
	return wrong;
}

/** The files of the committed plugin that are not what the sources make. */
export function staleInPlugin(root: string): string[] {
	const temp = mkdtempSync(join(tmpdir(), "ccg-release-"));
	try {
		const made = makePlugin(join(temp, "ccg"));
		const committed = filesIn(join(root, "plugins", "ccg"));
		return [...new Set([...made, ...committed])].filter(
			(name) => bytes(join(temp, "ccg", name)) !== bytes(join(root, "plugins/ccg", name)),
		);
	} finally {
		rmSync(temp, { recursive: true, force: true });
	}
}

/** The changelog with what was unreleased under a version of its own. Throws where nothing is unreleased. */
export function releasedChangelog(text: string, version: string, day: string): string {
	const [, before, unreleased, after = ""] =
		/^([\s\S]*?## Unreleased\n)([\s\S]*?)((?:\n## [\s\S]*)?)$/.exec(text) ?? [];
	if (before === undefined || !unreleased?.trim()) throw new Error("CHANGELOG.md has nothing under Unreleased");
	return `${before}\n## ${version} (${day})\n${unreleased.trimEnd()}\n${after}`;
}

const bytes = (path: string): string | null => {
	try {
		return readFileSync(path).toString("base64");
	} catch {
		return null;
	}
};

function run(program: string, ...args: string[]): string {
	return execFileSync(program, args, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();
}

function check(): void {
	const wrong = [
		...disagreements(ROOT),
		...staleInPlugin(ROOT).map((name) => `plugins/ccg/${name} is not what the sources make`),
	];
	for (const one of wrong) console.error(one);
	if (wrong.length > 0) throw new Error("not a release: see above");
	console.log("all agrees");
}

function release(version: string, { tag }: { tag: boolean }): void {
	const { version: before } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
	if (!VERSION.test(version)) throw new Error(`${version} is no version; it is three numbers`);
	if (Bun.semver.order(version, before) <= 0) throw new Error(`${version} is not newer than ${before}`);
	if (run("git", "status", "--porcelain")) throw new Error("the checkout holds changes; commit or stash them");
	const changelog = join(ROOT, "CHANGELOG.md");
	const day = new Date().toISOString().slice(0, 10);
	writeFileSync(changelog, releasedChangelog(readFileSync(changelog, "utf8"), version, day));
	run("npm", "version", version, "--no-git-tag-version", "--ignore-scripts");
	run("sh", "scripts/build");
	for (const script of ["write-notices.ts", "write-settings-example.ts", "make-plugin.ts"])
		run("sh", "scripts/bun", "--config=/dev/null", "--no-env-file", `scripts/${script}`);
	// the manifest that this process has read is the one of before
	run("sh", "scripts/bun", "--config=/dev/null", "--no-env-file", "scripts/release.ts", "--check");
	if (!tag) return console.log(`${version} is made; nothing is committed`);
	run("git", "add", "--all");
	run("git", "commit", "--quiet", "--message", `Release ${version}`);
	run("git", "tag", "--annotate", `v${version}`, "--message", `Release ${version}`);
	console.log(`${version} is committed and tagged. To publish it: git push --follow-tags`);
}

if (import.meta.main) {
	const { values, positionals } = parseArgs({
		args: process.argv.slice(2),
		allowPositionals: true,
		options: { check: { type: "boolean" }, "no-tag": { type: "boolean" }, help: { type: "boolean" } },
	});
	const [version] = positionals;
	try {
		if (values.check) check();
		else if (version && !values.help) release(version, { tag: !values["no-tag"] });
		else console.log("npm run release -- VERSION [--no-tag], or --check");
	} catch (error) {
		console.error(`release: ${(error as Error).message}`);
		process.exitCode = 1;
	}
}
