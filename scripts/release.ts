/**
 * Makes a release: version, changelog, notices, example settings, bundles; looks whether all agrees, commits and tags, and puts the plugin onto its branch.
 *
 *   npm run release -- 0.3.0            in a clean checkout
 *   npm run release -- 0.3.0 --no-tag   the same without commit and tag
 *   npm run release -- --check          only look whether all agrees with the version in package.json
 *   npm run release -- --plugin         only put the plugin of this version onto the branch `plugin`
 *   npm run release -- --dry-run [DIR]  all that would be published, in a folder (release.new): nothing leaves this machine
 *
 * What is published is made by .github/workflows/release.yml, from the tag.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { makePlugin } from "./make-plugin.ts";

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
	const { version } = json("package.json");
	const wrong: string[] = [];
	const locked = json("package-lock.json").version;
	if (locked !== version) wrong.push(`package-lock.json has version ${locked}, package.json ${version}`);
	if (!read("CHANGELOG.md").includes(`\n## ${version} (`)) wrong.push(`CHANGELOG.md has no section of ${version}`);
	return wrong;
}

/** Puts the plugin, as the sources make it, with a marketplace of its own onto the branch `plugin` of a repository. `dist/` must be built. */
export function commitPlugin(repository: string, version?: string): void {
	const temp = mkdtempSync(join(tmpdir(), "ccg-release-"));
	try {
		const tree = join(temp, "tree");
		makePlugin(join(tree, "ccg"), version);
		cpSync(join(ROOT, "queue-plugin"), join(tree, "queue-plugin"), { recursive: true });
		mkdirSync(join(tree, ".claude-plugin"));
		const market = readFileSync(join(ROOT, ".claude-plugin/marketplace.json"), "utf8");
		writeFileSync(join(tree, ".claude-plugin/marketplace.json"), market.replace("./plugins/ccg", "./ccg"));
		const gitDir = execFileSync("git", ["-C", repository, "rev-parse", "--absolute-git-dir"], {
			encoding: "utf8",
		}).trim();
		const env = { ...process.env, GIT_DIR: gitDir, GIT_WORK_TREE: tree, GIT_INDEX_FILE: join(temp, "index") };
		const git = (...args: string[]): string => execFileSync("git", args, { cwd: tree, env, encoding: "utf8" }).trim();
		git("add", "--all", "--force", ".");
		const before = git("for-each-ref", "--format=%(objectname)", BRANCH);
		const parents = before ? ["-p", before] : [];
		const name = version ?? JSON.parse(readFileSync(join(tree, "ccg/package.json"), "utf8")).version;
		git("update-ref", BRANCH, git("commit-tree", git("write-tree"), ...parents, "-m", `Plugin ${name}`), before);
	} finally {
		rmSync(temp, { recursive: true, force: true });
	}
}

const BRANCH = "refs/heads/plugin";

/** The changelog with what was unreleased under a version of its own. Throws where nothing is unreleased. */
export function releasedChangelog(text: string, version: string, day: string): string {
	const [, before, unreleased, after = ""] =
		/^([\s\S]*?## Unreleased\n)([\s\S]*?)((?:\n## [\s\S]*)?)$/.exec(text) ?? [];
	if (before === undefined || !unreleased?.trim()) throw new Error("CHANGELOG.md has nothing under Unreleased");
	return `${before}\n## ${version} (${day})\n${unreleased.trimEnd()}\n${after}`;
}

function run(program: string, ...args: string[]): string {
	return execFileSync(program, args, { cwd: ROOT, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim();
}

function check(): void {
	const wrong = disagreements(ROOT);
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
	for (const script of ["write-notices.ts", "write-settings-example.ts"])
		run("sh", "scripts/bun", "--config=/dev/null", "--no-env-file", `scripts/${script}`);
	run("sh", "scripts/bun", "--config=/dev/null", "--no-env-file", "scripts/release.ts", "--check");
	if (!tag) return console.log(`${version} is made; nothing is committed`);
	run("git", "add", "--all");
	run("git", "commit", "--quiet", "--message", `Release ${version}`);
	run("git", "tag", "--annotate", `v${version}`, "--message", `Release ${version}`);
	// in a process of its own: the manifest that this one has read is the one of before
	run("sh", "scripts/bun", "--config=/dev/null", "--no-env-file", "scripts/release.ts", "--plugin");
	console.log(
		`${version} is committed and tagged, its plugin on the branch plugin. To publish it: git push --follow-tags origin HEAD plugin`,
	);
}

/** What a plugin directory's form asks for, as far as the project's files tell it. */
function directoryPage(): string {
	const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
	const readme = readFileSync(join(ROOT, "README.md"), "utf8");
	const part = (title: string): string => readme.split(`\n## ${title}\n`)[1]?.split("\n## ")[0]?.trim() ?? "";
	return [
		"# What the form of the community directory asks for (clau.de/plugin-directory-submission)",
		`- Name: ${manifest.name}, version ${manifest.version}, licence ${manifest.license}`,
		`- Description: ${manifest.description}`,
		"- Source: the branch `plugin` of the repository; to be filled in: its address, a contact",
		"- What runs by itself: the hooks in `hooks/hooks.json` and, if the user wants it, a status line and an MCP server",
		`## What it costs, also on the network\n\n${part("What it costs")}`,
		`## Where data lies\n\n${part("Where data lies, how to remove it")}`,
		`## Limits\n\n${part("Limits")}`,
		"",
	].join("\n\n");
}

/** Makes all that a release publishes in a folder: package, plugin, list of what is in them, changes, the directory's page, checksums. `dist/` must be built. */
export function makeAll(out: string): void {
	if (existsSync(out) && !existsSync(join(out, "SHA256SUMS")))
		throw new Error(`${out} is there already; name another folder`);
	rmSync(out, { recursive: true, force: true });
	mkdirSync(out, { recursive: true });
	// (npm writes logs into a home that may not be there)
	const cache = ["--cache", join(out, ".npm"), "--loglevel=error", "--offline", "--update-notifier=false"];
	run("npm", "pack", "--ignore-scripts", "--pack-destination", out, ...cache);
	makePlugin(join(out, "plugin"));
	run("tar", "-czf", join(out, "plugin.tar.gz"), "-C", join(out, "plugin"), ".");
	rmSync(join(out, "plugin"), { recursive: true });
	writeFileSync(
		join(out, "sbom.cdx.json"),
		run("npm", "sbom", "--sbom-format", "cyclonedx", "--package-lock-only", ...cache),
	);
	rmSync(join(out, ".npm"), { recursive: true, force: true });
	const changes = readFileSync(join(ROOT, "CHANGELOG.md"), "utf8").split("\n## ")[1] ?? "";
	writeFileSync(join(out, "CHANGES.md"), `## ${changes.trimEnd()}\n`);
	writeFileSync(join(out, "DIRECTORY.md"), directoryPage());
	const sum = (name: string): string =>
		`${new Bun.CryptoHasher("sha256").update(readFileSync(join(out, name))).digest("hex")}  ${name}\n`;
	const names = readdirSync(out).sort();
	writeFileSync(join(out, "SHA256SUMS"), names.map(sum).join(""));
	console.log(`In ${out}: ${names.join(", ")}, SHA256SUMS. Nothing was published.`);
}

if (import.meta.main) {
	const { values, positionals } = parseArgs({
		args: process.argv.slice(2),
		allowPositionals: true,
		options: {
			check: { type: "boolean" },
			plugin: { type: "boolean" },
			"no-tag": { type: "boolean" },
			"dry-run": { type: "boolean" },
			help: { type: "boolean" },
		},
	});
	const [version] = positionals;
	try {
		if (values.check) check();
		else if (values.plugin) commitPlugin(ROOT);
		else if (values["dry-run"]) {
			run("sh", "scripts/build");
			makeAll(resolve(version ?? join(ROOT, "release.new")));
		} else if (version && !values.help) release(version, { tag: !values["no-tag"] });
		else console.log("npm run release -- VERSION [--no-tag], or --check, or --plugin, or --dry-run [DIR]");
	} catch (error) {
		console.error(`release: ${(error as Error).message}`);
		process.exitCode = 1;
	}
}
