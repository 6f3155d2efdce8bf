export type Version = readonly [major: number, minor: number, patch: number];

/** How far one version is from another, at the first part where they differ: below 0 where it is older. `NaN` where `version` is none. */
function versionDistance(version: unknown, other: Version): number {
	const parts = typeof version === "string" && /^(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
	if (!parts) return Number.NaN;
	const at = other.findIndex((part, i) => part !== parts[i]);
	return at < 0 ? 0 : parts[at]! - other[at]!;
}

/** The newest Claude Code that ccg was tested with. */
export const TESTED: Version = [2, 1, 332];

/** Whether `version` is older than another; what is no version is neither older nor newer. */
export const olderThan = (version: unknown, than: Version): boolean => versionDistance(version, than) < 0;
export const newerThan = (version: unknown, than: Version): boolean => versionDistance(version, than) > 0;
export const isSince = (version: unknown, since: Version): boolean => versionDistance(version, since) >= 0;
