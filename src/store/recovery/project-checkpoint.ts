import { join } from "node:path";
import { isCheckpointKey } from "../../core/recovery/checkpoint-key.ts";
import { writeText } from "../gate.ts";
import { readText } from "../json-file.ts";
import { isSessionId } from "../paths.ts";
import { refusePathLinks } from "../refuse-links.ts";
import type { Session } from "../session-handle.ts";

/** Where the store keeps a project's own; `project` is `Project.key`. */
const pointerPath = (root: string, project: string): string => join(root, "projects", project, "latest-checkpoint");

/** The project's latest pointer: session and key. */
export function pointProjectTo(session: Session, project: string, key: string): void {
	const path = pointerPath(session.root, project);
	refusePathLinks(session.root, join(session.root, "projects", project));
	writeText(path, `${session.id} ${key}\n`, { sync: false });
}

/** The checkpoint that a project's pointer names; `null` where it names none. */
export function latestOfProject(root: string, project: string): { sid: string; key: string } | null {
	const [sid = "", key = ""] = (readText(pointerPath(root, project), 1_000) ?? "").trim().split(" ");
	return isSessionId(sid) && isCheckpointKey(key) ? { sid, key } : null;
}
