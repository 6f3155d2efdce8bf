import { basename } from "node:path";
import { projectOf } from "../../store/project.ts";

/** The name people know a project by: its main folder's. */
export const nameOf = (folder: string): string => basename(projectOf(folder).root) || projectOf(folder).root;
