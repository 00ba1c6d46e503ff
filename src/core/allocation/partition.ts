/** A part of a cluster that allocations can be asked for in. */
export interface PartitionOffer {
  name: string;
  /** Where allocations go that name no partition. */
  is_default: boolean;
  /** Longest allocation; null: no limit. */
  max_ms: number | null;
  /** Nodes that are alike, each kind once. */
  kinds: NodeOfferKind[];
}

export interface NodeOfferKind {
  nodes: number;
  cpus: number;
  memory_bytes: number;
  gpus: number;
}
