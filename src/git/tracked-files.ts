import { openInside, textInside } from "../files/read-inside.ts";
import { parseConfig, setting } from "./config.ts";
import { GITLINK, kindOf, parseIndex } from "./index-file.ts";
import type { Repository } from "./repository.ts";

const MAX_INDEX = 32 * 1024 * 1024;
const MAX_CONFIG = 128 * 1024;

/** The files that git's index lists, relative to the working tree's folder; `null` where it can't be read. Never throws. */
export function trackedFiles({ gitDir, commonDir }: Repository, isLate: () => boolean = () => false): string[] | null {
	try {
		const file = openInside(gitDir, "index", { maxBytes: MAX_INDEX });
		if (!file) return null;
		const config = parseConfig(textInside(commonDir, "config", { maxBytes: MAX_CONFIG }) ?? "");
		const hashBytes = setting(config, "extensions.objectformat") === "sha256" ? 32 : 20;
		const { entries } = parseIndex(file.bytes, hashBytes, isLate);
		return [
			...new Set(entries.filter(({ mode, isNamed }) => isNamed && kindOf(mode) !== GITLINK).map(({ path }) => path)),
		];
	} catch {
		return null;
	}
}
