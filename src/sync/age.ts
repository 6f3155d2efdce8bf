/** A bundle of its own: only spaces that are encrypted load it. */
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from "age-encryption";

export async function newIdentity(): Promise<{ identity: string; recipient: string }> {
	const identity = await generateX25519Identity();
	return { identity, recipient: await identityToRecipient(identity) };
}

/** To those of the recipients that are some: what a member says of itself keeps nobody from writing. */
export async function encrypt(bytes: Uint8Array, recipients: readonly string[]): Promise<Uint8Array> {
	const encryptTo = async (content: Uint8Array, some: readonly string[]): Promise<Uint8Array> => {
		const encrypter = new Encrypter();
		for (const one of some) encrypter.addRecipient(one);
		return encrypter.encrypt(content);
	};
	const isGood = (one: string): Promise<boolean> =>
		encryptTo(new Uint8Array(), [one]).then(
			() => true,
			() => false,
		);
	const good: string[] = [];
	for (const one of recipients) if (await isGood(one)) good.push(one);
	return encryptTo(bytes, good);
}

/** Throws where it is not for this identity, or was changed. */
export async function decrypt(bytes: Uint8Array, identity: string): Promise<Uint8Array> {
	const decrypter = new Decrypter();
	decrypter.addIdentity(identity);
	return decrypter.decrypt(bytes);
}
