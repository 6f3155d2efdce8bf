import { type AddressInfo, createServer } from "node:net";
import { newMachine } from "../../src/sync/machine.ts";
import { keepSpace } from "../../src/sync/space.ts";
import { storeAt } from "./store.ts";

/** Addresses of carriers that accept and never say anything. */
export async function hangingCarriers(): Promise<Record<string, string>> {
	const server = createServer((socket) => socket.on("error", () => {}).unref()).unref();
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	return { "a git remote that hangs": `git:https://127.0.0.1:${(server.address() as AddressInfo).port}/far.git` };
}

/** Makes a store share a space of its own by an address, which is not asked. */
export function shareBy(root: string, address: string): void {
	const space = { id: "5".repeat(32), address, isEncrypted: false, isPaused: false, projects: [], around: {} };
	newMachine(root, {});
	keepSpace({ store: storeAt(root), space });
}
