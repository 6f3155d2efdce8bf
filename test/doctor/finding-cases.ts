import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CheckStatus } from "../../src/doctor/check.ts";
import { type DoctorFixture, makeInstallation, type Settings, settings } from "./fixture.ts";

import { RUNS } from "./runs.ts";

export interface FindingCase {
	/** What is done to a healthy fixture, before the doctor comes. */
	change(fixture: DoctorFixture): unknown;
	id: string;
	status: CheckStatus;
	detail: RegExp;
	ok: boolean;
	/** How many commands run; all of the one installation by default. */
	runs?: number;
}

const userEdit =
	(edit: (value: Settings) => void) =>
	({ user }: DoctorFixture) =>
		settings(user, edit);
const managed =
	(value: object, name = "managed-settings.json") =>
	({ managed: folder }: DoctorFixture) =>
		settings(join(folder, name), value);

export const CASES: Record<string, FindingCase> = {
	"no registration": {
		change: ({ user }) => rmSync(user),
		id: "settings.registered",
		status: "fail",
		detail: /no settings file holds an entry/,
		ok: false,
		runs: 0,
	},
	"disableAllHooks of the user": {
		change: userEdit((value) => {
			value.disableAllHooks = true;
		}),
		id: "blockers.disableAllHooks",
		status: "fail",
		detail: /true in .*\.claude\/settings\.json: no hook but managed ones/,
		ok: false,
	},
	"disableAllHooks of the user, undone by the project": {
		change: (fixture) => {
			settings(fixture.user, (value) => {
				value.disableAllHooks = true;
			});
			settings(fixture.project, { disableAllHooks: false });
		},
		id: "blockers.disableAllHooks",
		status: "ok",
		detail: /false in .*project/,
		ok: true,
	},
	"disableAllHooks in a managed drop-in": {
		change: managed({ disableAllHooks: true }, "managed-settings.d/10.json"),
		id: "blockers.disableAllHooks",
		status: "fail",
		detail: /managed-settings\.d\/10\.json: no hook and no status line/,
		ok: false,
	},
	allowManagedHooksOnly: {
		change: managed({ allowManagedHooksOnly: true }),
		id: "blockers.allowManagedHooksOnly",
		status: "fail",
		detail: /do not run/,
		ok: false,
	},
	"strictPluginOnlyCustomization with hooks": {
		change: managed({ strictPluginOnlyCustomization: ["skills", "hooks"] }),
		id: "blockers.strictPluginOnlyCustomization",
		status: "fail",
		detail: /only those of plugins/,
		ok: false,
	},
	"unparsable user settings": {
		change: ({ user }) => writeFileSync(user, '{\n  "model": "opus",\n}\n'),
		id: "settings.user",
		status: "fail",
		detail: /ignores the whole file.*settings\.json, line 3, column 1/,
		ok: false,
		runs: 0,
	},
	"unparsable managed settings": {
		change: ({ managed: folder }) => writeFileSync(join(folder, "managed-settings.json"), "{"),
		id: "settings.managed",
		status: "fail",
		detail: /line 1/,
		ok: false,
	},
	"the launcher is gone": {
		change: ({ launcher }) => rmSync(launcher),
		id: "runtime.launcher",
		status: "fail",
		detail: /the launcher .* is gone/,
		ok: false,
		runs: 0,
	},
	"the launcher may not be run": {
		change: ({ launcher }) => chmodSync(launcher, 0o644),
		id: "runtime.launcher",
		status: "fail",
		detail: /is not executable/,
		ok: false,
		runs: 0,
	},
	"no runtime": {
		change: ({ root, env }) => {
			rmSync(join(root, "ccg", "node_modules"));
			mkdirSync(join(root, "no-bun"));
			env.PATH = join(root, "no-bun");
		},
		id: "runtime.bun",
		status: "fail",
		detail: /found neither Bun 1\.4\.3 nor Node 22\.16/,
		ok: false,
	},
	"a second installation in another scope": {
		change: async (fixture) => {
			mkdirSync(join(fixture.root, "other"));
			await fixture.install("project", makeInstallation(join(fixture.root, "other")));
		},
		id: "blockers.second",
		status: "warn",
		detail: /entries of .*other\/bin\/ccg run beside those of .*ccg\/bin\/ccg/,
		ok: true,
	},
	"another installation alone": {
		change: async (fixture) => {
			mkdirSync(join(fixture.root, "other"));
			await fixture.install("user", makeInstallation(join(fixture.root, "other")));
		},
		id: "blockers.second",
		status: "warn",
		detail: /registered is .*other\/bin\/ccg, not the ccg that is running/,
		ok: true,
		runs: 0,
	},
	"the same entries in two scopes": {
		change: (fixture) => fixture.install("local"),
		id: "blockers.second",
		status: "info",
		detail: /in local and user: they run once/,
		ok: true,
	},
	"entries in two scopes that differ": {
		change: async (fixture) => {
			await fixture.install("local");
			settings(fixture.user, (value) => {
				value.hooks.Stop[0].hooks[0].timeout = 60;
			});
		},
		id: "blockers.second",
		status: "warn",
		detail: /^Stop \(stop\) registered more than once/,
		ok: true,
	},
	"a foreign status line above ours": {
		change: ({ project }) => settings(project, { statusLine: { type: "command", command: "echo mine" } }),
		id: "settings.statusline",
		status: "warn",
		detail: /another one, in .*project.*takes the place of ccg's in .*home/s,
		ok: true,
	},
	"no status line": {
		change: userEdit((value) => {
			delete value.statusLine;
		}),
		id: "settings.statusline",
		status: "warn",
		detail: /none/,
		ok: true,
		runs: RUNS.length - 1,
	},
	"a missing entry": {
		change: userEdit((value) => {
			delete value.hooks.PreCompact;
		}),
		id: "settings.user",
		status: "fail",
		detail: /missing in .*: PreCompact$/,
		ok: false,
		runs: RUNS.length - 1,
	},
	"another time limit": {
		change: userEdit((value) => {
			value.hooks.PreCompact[0].hooks[0].timeout = 1;
		}),
		id: "settings.user",
		status: "warn",
		detail: /not what this version registers.*: PreCompact$/,
		ok: true,
	},
	"a matcher around ours": {
		change: userEdit((value) => {
			value.hooks.SessionStart[0].matcher = "startup";
		}),
		id: "settings.user",
		status: "warn",
		detail: /not what this version registers.*: SessionStart$/,
		ok: true,
	},
	"a text of ours in another form": {
		change: userEdit((value) => {
			const [, launcher] = /^(\S+)/.exec(value.hooks.SessionStart[0].hooks[0].command)!;
			value.hooks.SessionStart[0].hooks[0].command = `${launcher} hook session-start`;
		}),
		id: "settings.user",
		status: "warn",
		detail: /not what this version registers.*: SessionStart$/,
		ok: true,
		runs: RUNS.length - 2,
	},
	"an entry that runs another program too": {
		change: userEdit((value) => {
			value.hooks.SessionStart[0].hooks[0].command = `my-own-thing; ${value.hooks.SessionStart[0].hooks[0].command}`;
		}),
		id: "settings.user",
		status: "warn",
		detail: /another program runs beside ccg in .*: SessionStart;/,
		ok: true,
		runs: RUNS.length - 2,
	},
	"a store of their own": {
		change: async (fixture) => {
			fixture.env.CCG_HOME = join(fixture.root, "elsewhere");
			await fixture.install();
			delete fixture.env.CCG_HOME;
		},
		id: "settings.home",
		status: "warn",
		detail: /keep their store in .*elsewhere, ccg in this shell uses .*\.claude-memory/,
		ok: true,
	},
	"another store in the settings": {
		change: ({ project }) => settings(project, { env: { CCG_HOME: "/elsewhere" } }),
		id: "settings.home",
		status: "warn",
		detail: /"env" in .*project.* sets CCG_HOME to \/elsewhere/,
		ok: true,
	},
	CLAUDE_CODE_SIMPLE: {
		change: ({ env }) => {
			env.CLAUDE_CODE_SIMPLE = "1";
		},
		id: "blockers.CLAUDE_CODE_SIMPLE",
		status: "warn",
		detail: /runs no hooks/,
		ok: true,
	},
	"some bundles without the others": {
		change: ({ root }) => {
			mkdirSync(join(root, "ccg", "dist", "src", "cli"), { recursive: true });
			writeFileSync(join(root, "ccg", "dist", "src", "cli", "main.js"), 'console.log("1.2.3")');
		},
		id: "runtime.bundles",
		status: "warn",
		detail:
			/some are missing \(hooks\/session-start, .*, src\/events\/steps\/judge, src\/core\/redact\/rules, src\/install\/execa\).*what the others load then is not there/,
		ok: true,
	},
	"neither bundles nor sources": {
		change: ({ root }) => rmSync(join(root, "ccg", "hooks")),
		id: "runtime.bundles",
		status: "fail",
		detail: /neither bundle nor source in .*: hooks\/session-start/,
		ok: false,
	},
	"a window that is no number": {
		change: ({ env }) => {
			env.CLAUDE_CODE_AUTO_COMPACT_WINDOW = "500k";
		},
		id: "compaction.window",
		status: "warn",
		detail: /=500k in the environment is no plain number/,
		ok: true,
	},
	"a window out of range in the settings": {
		change: userEdit((value) => {
			value.env = { CLAUDE_CODE_AUTO_COMPACT_WINDOW: "500" };
		}),
		id: "compaction.window",
		status: "warn",
		detail: /=500 in "env" in .* counts as 100000/,
		ok: true,
	},
	"a percentage out of range": {
		change: ({ env }) => {
			env.CLAUDE_AUTOCOMPACT_PCT_OVERRIDE = "150";
		},
		id: "compaction.percent",
		status: "warn",
		detail: /=150/,
		ok: true,
	},
	"auto-compaction off": {
		change: ({ project }) => settings(project, { autoCompactEnabled: false }),
		id: "compaction.auto",
		status: "info",
		detail: /off \(autoCompactEnabled in .*\)/,
		ok: true,
	},
	"a folder that is not trusted": {
		change: () => {},
		id: "blockers.trust",
		status: "info",
		detail: /not marked as trusted/,
		ok: true,
	},
	"a folder that is trusted": {
		change: ({ home, cwd }) =>
			settings(join(home, ".claude.json"), { projects: { [cwd]: { hasTrustDialogAccepted: true } } }),
		id: "blockers.trust",
		status: "ok",
		detail: /is trusted/,
		ok: true,
	},
	"a folder below one that is trusted": {
		change: ({ home, cwd }) =>
			settings(join(home, ".claude.json"), { projects: { [dirname(cwd)]: { hasTrustDialogAccepted: true } } }),
		id: "blockers.trust",
		status: "ok",
		detail: /is trusted, since .* is$/,
		ok: true,
	},
	"a mistake in config.json": {
		change: ({ store }) => settings(join(store, "config.json"), { marker: { percent: "65" }, nugde: {} }),
		id: "store.config",
		status: "warn",
		detail: /marker\.percent: must be a number; nugde: unknown key/,
		ok: true,
	},
	"config.json is no JSON": {
		change: ({ store }) => writeFileSync(join(store, "config.json"), "{,}"),
		id: "store.config",
		status: "fail",
		detail: /no JSON/,
		ok: false,
	},
	"a damaged file, quarantined": {
		change: ({ store }) => {
			mkdirSync(join(store, "sessions", "s"), { recursive: true });
			writeFileSync(join(store, "sessions", "s", "state.json.damaged-20260301100000"), "{");
		},
		id: "store.files",
		status: "warn",
		detail: /damaged, quarantined: .*state\.json\.damaged-20260301100000/,
		ok: true,
	},
	"a link in the store": {
		change: ({ store, root }) => {
			mkdirSync(join(store, "sessions"), { recursive: true });
			symlinkSync(root, join(store, "sessions", "s"));
		},
		id: "store.files",
		status: "fail",
		detail: /symbolic links, which no hook follows: .*sessions\/s/,
		ok: false,
	},
	"a configuration for a newer ccg": {
		change: ({ store }) => writeFileSync(join(store, "config.json"), '{"version":2}'),
		id: "store.config",
		status: "fail",
		detail: /newer ccg \(version 2, this one reads 1\); all defaults count/,
		ok: false,
	},
	"a store others may write": {
		change: ({ store }) => chmodSync(store, 0o777),
		id: "store.modes",
		status: "fail",
		detail: /others may write: .*\.claude-memory; look at what is in it, then run: chmod go-w/,
		ok: false,
	},
	"failures in the log": {
		change: ({ store }) => {
			mkdirSync(join(store, "log"));
			const line = (hours: number, text: string) =>
				`${new Date(Date.now() - hours * 3600_000).toISOString()} usage: ${text}\n`;
			writeFileSync(join(store, "log", "ccg.log"), `${line(30, "old")}${line(2, "first")}${line(1, "second")}`);
		},
		id: "store.log",
		status: "warn",
		detail: /^2 in the last 24 hours, the last one: .*second$/,
		ok: true,
	},
	"a store that is a file": {
		change: ({ store }) => {
			rmSync(store, { recursive: true });
			writeFileSync(store, "");
		},
		id: "store.root",
		status: "fail",
		detail: /can't be written/,
		ok: false,
	},
};
