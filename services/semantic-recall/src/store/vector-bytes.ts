// A vector as bytes: 32-bit floats in the machine's order, which is what sqlite-vec reads. Half the size of what JSON numbers
// are in memory, and as exact as embedding models answer.

export function toBytes(vector: readonly number[]): Uint8Array {
  return new Uint8Array(Float32Array.from(vector).buffer);
}

/** @param bytes a whole number of floats */
export function fromBytes(bytes: Uint8Array): Float32Array {
  // Copied: a float array must begin at a multiple of four of its buffer, and a Buffer may stand anywhere in a shared one.
  return new Float32Array(new Uint8Array(bytes).buffer);
}
