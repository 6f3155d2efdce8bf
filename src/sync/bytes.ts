import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";
import { deflateSync, inflateSync } from "node:zlib";
import * as z from "zod/mini";
import { parseObject } from "../files/json-file.ts";
import { codedError } from "../files/system-failure.ts";
import { sha256 } from "../store/gate.ts";
import { MAX_DOCUMENT } from "./carrier.ts";
import { type Document, MAX_VALUES, parseDocument } from "./document.ts";

/** A machine's own keys: of Ed25519 as a JSON Web Key; of age, where a space is encrypted. */
export interface Keys {
	sign: { x: string; d: string };
	identity?: string;
	recipient?: string;
}

/** What stands in front of a document's content, for everybody to read. */
const headShape = z.object({
	v: z.literal(1),
	version: z.int().check(z.positive()),
	/** The public key, in base64url. */
	key: z.string().check(z.regex(/^[\w-]{43}$/)),
	/** What age encrypts to for this machine; where it is there the content is encrypted. */
	recipient: z.optional(z.string().check(z.regex(/^age1[02-9ac-hj-np-z]{58}$/))),
});
type Head = z.infer<typeof headShape>;

/** A document whose signature was checked; its content was not looked at yet. */
export interface Signed extends Head {
	machine: string;
	content: Buffer;
	/** The whole document, as it is carried. */
	bytes: Buffer;
}

const MAX_HEAD = 1_000;
/** A document may unpack to so many times its largest size. */
const UNPACK_FACTOR = 8;
/** Its JSON may have so many times as many parts as a file of the store. */
const MAX_PARTS_FACTOR = 4;
const SIGNED_PREFIX = Buffer.from("ccg document\n"); // signed too: no signature made for another purpose fits
const LINE_FEED = 10; // the end of a line

/** Loads the bundle `age.ts`, the library that encrypts, by a path that the bundler does not see through: few spaces need it. */
export const loadAge = (file = `${import.meta.dirname}/age`): typeof import("./age.ts") => require(file);

/** Makes a new pair of Ed25519 keys: `x` is the public one, `d` the private one. */
export function newSigningKey(): Keys["sign"] {
	const { x = "", d = "" } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
	return { x, d };
}
/** A machine's id: a hash of its public key. */
export const machineId = (publicKey: string): string => sha256(`ccg machine ${publicKey}`).slice(0, 32);
/** A machine's key to sign with, in the form that `node:crypto` takes. */
export const privateKey = ({ x, d }: Keys["sign"]) =>
	createPrivateKey({ key: { kty: "OKP", crv: "Ed25519", x, d }, format: "jwk" });

/** Gives a document as it is carried: a line with the signature, a line with the head, the content, encrypted where there are `recipients`. */
export async function packDocument(document: Document, keys: Keys, recipients: readonly string[]): Promise<Uint8Array> {
	const { machine: _, version, ...content } = document;
	const json = Buffer.from(JSON.stringify(content));
	const packed = deflateSync(json);
	const body = recipients.length > 0 ? await loadAge().encrypt(packed, recipients) : packed;
	const head: Head = { v: 1, version, key: keys.sign.x };
	if (recipients.length > 0) head.recipient = keys.recipient!;
	const signed = Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body]);
	const signature = sign(null, Buffer.concat([SIGNED_PREFIX, signed]), privateKey(keys.sign));
	const bytes = Buffer.concat([Buffer.from(`${signature.toString("base64url")}\n`), signed]);
	const size = `this machine shares ${content.values.length} notes and sessions in ${bytes.length} bytes`;
	if (bytes.length > MAX_DOCUMENT || json.length > UNPACK_FACTOR * MAX_DOCUMENT || content.values.length > MAX_VALUES)
		throw codedError("ETOOBIG", `${size}; at most ${MAX_VALUES} in ${MAX_DOCUMENT} fit`);
	return bytes;
}

/** Reads the head of a document as it is carried, and checks its signature; unpacks nothing. Throws an error that says what is wrong. */
export function parseSigned(bytes: Uint8Array): Signed {
	const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	// the ends of the first two lines
	const first = all.indexOf(LINE_FEED);
	const second = all.indexOf(LINE_FEED, first + 1);
	const head = first > 0 && second - first < MAX_HEAD ? parseObject(all.toString("utf8", first + 1, second)) : null;
	const { data } = headShape.safeParse(head);
	if (!data) throw new Error("it is no document, or not all of one, or of a newer ccg");
	const signedPart = Buffer.concat([SIGNED_PREFIX, all.subarray(first + 1)]);
	const publicKey = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: data.key }, format: "jwk" });
	const signature = Buffer.from(all.toString("latin1", 0, first), "base64url");
	if (!verify(null, signedPart, publicKey, signature))
		throw new Error("its signature does not fit: it was changed on its way, or is not whole");
	return { ...data, machine: machineId(data.key), content: all.subarray(second + 1), bytes: all };
}

/** Opens a document whose signature was checked, of at most `maxBytes`; `null` where it is encrypted and not for these keys. */
export async function openSigned(signed: Signed, { identity = "" }: Keys, maxBytes = MAX_DOCUMENT) {
	let content: Uint8Array = signed.content;
	if (signed.recipient)
		try {
			content = await loadAge().decrypt(content, identity);
		} catch {
			return null;
		}
	const json = inflateSync(content, { maxOutputLength: UNPACK_FACTOR * maxBytes }).toString("utf8");
	return parseDocument(parseObject(json, MAX_PARTS_FACTOR), signed.machine, signed.version);
}
