import { readHead } from "../../git/head.ts";
import { repositoryOf } from "../../git/repository.ts";

/** The branch that is checked out in a folder, of a detached head the beginning of its commit; `null` outside git. Starts no process. */
export function branchOf(folder: string): string | null {
	const repository = folder ? repositoryOf(folder) : null;
	const head = repository && readHead(repository);
	return head ? (head.branch ?? head.commit?.slice(0, 7) ?? null) : null;
}
