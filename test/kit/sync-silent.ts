import { type AddressInfo, createServer } from "node:net";
import { isPostgres } from "../../src/sync/address.ts";
import { folderCarrier } from "../../src/sync/folder.ts";
import { publicOf } from "../../src/sync/keys.ts";
import { newMachine } from "../../src/sync/machine.ts";
import { keepLogin, placeOf, targetOf } from "../../src/sync/postgres/connection.ts";
import { begin, spaceId } from "../../src/sync/space.ts";
import { storeAt } from "./store.ts";

/** Addresses of carriers that accept and never say anything. */
export async function hangingCarriers(): Promise<Record<string, string>> {
	const server = createServer((socket) => socket.on("error", () => {}).unref()).unref();
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const silent = `127.0.0.1:${(server.address() as AddressInfo).port}`;
	return {
		"a PostgreSQL that hangs": placeOf(targetOf(`postgres://${silent}/team`, {})),
		"a git remote that hangs": `git-public:git://${silent}/far.git`,
	};
}

/** Makes a store share a space of its own by an address. A carrier that answers is not asked, but a folder. */
export function shareBy(root: string, address: string): void {
	const self = newMachine(root, {});
	const space = { id: spaceId(publicOf(self.keys), ""), root: publicOf(self.keys), nonce: "" };
	begin(storeAt(root), self, space, address).close();
	if (isPostgres(address)) keepLogin(root, address, { user: "me", password: "me" });
	else if (address.startsWith("/")) folderCarrier(address, space.id, { create: true });
}
