/** A bundle of its own: only spaces that are encrypted load it. */
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from "age-encryption";

export async function newIdentity(): Promise<{ identity: string; recipient: string }> {
	const identity = await generateX25519Identity();
	return { identity, recipient: await identityToRecipient(identity) };
}

/** Throws where one is no recipient. */
export async function encrypt(bytes: Uint8Array, recipients: readonly string[]): Promise<Uint8Array> {
	const encrypter = new Encrypter();
	for (const recipient of recipients) encrypter.addRecipient(recipient);
	return encrypter.encrypt(bytes);
}

/** Throws where it is not for this identity, or was changed. */
export async function decrypt(bytes: Uint8Array, identity: string): Promise<Uint8Array> {
	const decrypter = new Decrypter();
	decrypter.addIdentity(identity);
	return decrypter.decrypt(bytes);
}
