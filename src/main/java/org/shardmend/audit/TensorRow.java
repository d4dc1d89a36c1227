package org.shardmend.audit;

import java.io.Serializable;
import org.shardmend.checkpoint.UnitId;
import org.shardmend.checkpoint.layout.Layout;
import org.shardmend.plan.Action;
import org.shardmend.safetensors.Shape;

/**
 * What became of one tensor of the source. Where the source is {@code presharded}, one row stands
 * for one name of one rank.
 *
 * <p>What is absent is said by the value named below, never by {@code null}; the table then holds
 * NULL.
 *
 * @param runId the run
 * @param checkpoint where the source is
 * @param layout the source's layout
 * @param unit the load unit
 * @param part the part number of the shard; −1 when the layout has none
 * @param source where the tensor was
 * @param target where it is now; {@link Place#NONE} when it was dropped or refused
 * @param action what happened
 * @param rule the rule that decided, as {@code family#index}; empty when none did
 * @param reason why, as a sentence; empty when there is nothing to say
 * @param dtype the element type's token
 * @param shape the dimensions
 * @param digests digests of its bytes
 * @param verified how far the written tensor has been checked
 * @param proof label of the {@link org.shardmend.plan.alias.NameProof} that a changed name is
 *     right; empty when it was not changed
 */
public record TensorRow(
    RunId runId,
    String checkpoint,
    Layout layout,
    UnitId unit,
    int part,
    TensorPlace source,
    TensorPlace target,
    Action action,
    String rule,
    String reason,
    String dtype,
    Shape shape,
    TensorDigests digests,
    Verification verified,
    String proof)
    implements Serializable {}
