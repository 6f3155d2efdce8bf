import type { Config } from "../config/config.ts";

/** Whether `ccg recall` has something to answer with: search is on, and this runtime has SQLite. Asked of Node alone: Bun brings it. */
export function canSearch({ search }: Config): boolean {
	if (!search.enabled || process.versions.bun) return search.enabled;
	const { hasSqlite } = require("./index-database.ts") as typeof import("./index-database.ts");
	return hasSqlite();
}
