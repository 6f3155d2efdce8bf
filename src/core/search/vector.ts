/** More numbers than any model's vectors have. */
const MAX_LENGTH = 4_096;

/**
 * A vector of length 1 made of what a model answered. Throws where that is none: no list, too long, not of `length` numbers where that is
 * known, a number that is not finite, nothing but zeros.
 */
export function normalisedVector(value: unknown, length?: number): Float32Array {
	const isList = Array.isArray(value) || value instanceof Float32Array;
	if (!isList || value.length === 0 || value.length > MAX_LENGTH) throw new Error("answered no vector");
	if (length && value.length !== length)
		throw new Error(`answered a vector of ${value.length} numbers instead of ${length}`);
	const vector = new Float32Array(value.length);
	let sum = 0;
	for (let i = 0; i < value.length; i++) {
		const number: unknown = value[i];
		if (typeof number !== "number" || !Number.isFinite(number))
			throw new Error("answered a vector with something else than numbers");
		sum += number * number;
	}
	const size = Math.sqrt(sum);
	if (!(size > 0 && Number.isFinite(size))) throw new Error("answered a vector without a direction");
	for (let i = 0; i < value.length; i++) vector[i] = (value[i] as number) / size;
	return vector;
}
