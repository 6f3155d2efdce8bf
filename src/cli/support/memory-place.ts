import { needStore, storeAt } from "../../store/chosen-store.ts";
import type { Env } from "../../store/paths.ts";
import type { Store } from "../../store/session-handle.ts";
import type { Io } from "./io.ts";

/** Claude Code says so to every command it starts. */
export const isInSession = (env: Env): boolean =>
	Boolean(env.CLAUDECODE || env.CLAUDE_CODE_SESSION_ID || env.CLAUDE_CODE_ENTRYPOINT || env.CLAUDE_PROJECT_DIR);

export const memoryRoot = (io: Io): string => needStore(io, "so there is no place for memory");

export const memoryStore = (io: Io): Store => storeAt(io, memoryRoot(io));
