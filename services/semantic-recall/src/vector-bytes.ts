// A vector as bytes: 32-bit floats in the machine's order, which is what sqlite-vec reads. Half the size of what JSON numbers
// are in memory, and as exact as embedding models answer.

export function toBytes(vector: readonly number[]): Uint8Array {
  return new Uint8Array(Float32Array.from(vector).buffer);
}

export function fromBytes(bytes: Uint8Array): Float32Array {
  // Copied: a float array must begin at a multiple of four, and a slice of somebody's buffer may not.
  return new Float32Array(bytes.slice().buffer);
}
