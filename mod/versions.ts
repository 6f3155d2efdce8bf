/**
 * The versions of Claude Code in which the mod is tested (test/e2e/mod.test.ts, docs/versions.md). In any other it does nothing
 * and the hooks do everything: what a mod may call changes between releases.
 */
export const MOD_VERSIONS: readonly string[] = ["2.1.330"];
