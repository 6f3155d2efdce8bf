import { type AddressInfo, createServer } from "node:net";
import { newSpace } from "../../src/sync/members.ts";
import { writeSpace } from "../../src/sync/space.ts";
import { storeAt } from "../../test/kit/store.ts";

/** Addresses of carriers that accept and never say anything. */
export async function hangingCarriers(): Promise<Record<string, string>> {
	const server = createServer((socket) => socket.on("error", () => {}).unref()).unref();
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return { "a git remote that hangs": `git:https://127.0.0.1:${(server.address() as AddressInfo).port}/far.git` };
}

/** Makes a store share a space of its own by an address, which is not asked. */
export async function shareBy(root: string, address: string): Promise<void> {
	writeSpace(await newSpace(storeAt(root), address, {}, false));
}
