// Encodes a vector as 32-bit floats in the machine's byte order, which sqlite-vec reads. Takes half the memory of JSON
// numbers at the precision of embedding models.

export function encodeVector(vector: readonly number[]): Uint8Array {
  return new Uint8Array(Float32Array.from(vector).buffer);
}

/** @param bytes a whole number of floats */
export function decodeVector(bytes: Uint8Array): Float32Array {
  // Copied, because a float array must start at a multiple of four bytes, and a Buffer can start anywhere in a shared
  // one.
  return new Float32Array(new Uint8Array(bytes).buffer);
}
