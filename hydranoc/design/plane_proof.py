"""Proof, certificate and digests of a collective plane."""

from typing import TYPE_CHECKING

from hydranoc.certificates.checker.theorems import PLANE
from hydranoc.certificates.writing import (
    MANIFEST,
    Certificate,
    certificate_text,
    checked_certificate,
    digests_text,
)
from topology.collectives.proof import PlaneFacts, PlaneSizes, PlaneVerdict, check_plane
from topology.common.channels import ChannelNetwork

if TYPE_CHECKING:
    from hydranoc.design.plane import Plane
    from rtl.generator.network import GeneratedDesign


def plane_verdict(plane: "Plane", network: ChannelNetwork) -> PlaneVerdict:
    """Return what is proved of a plane, from its tables.

    Parameters:
        plane
        network: The network beside it.
    """
    model = plane.parameters
    sizes = PlaneSizes(
        model.window,
        model.buffer_words,
        model.result_words,
        model.link_cycles,
        barriers_only=plane.barriers_only,
        stages=model.stages,
    )
    return check_plane(PlaneFacts.of(plane.tables), sizes, network)


def certificate_of_plane(plane: "Plane", network: ChannelNetwork, generated: "GeneratedDesign") -> Certificate:
    """Return a certificate of a plane, accepted by its checker; without text if the plane is wrong.

    Parameters:
        plane
        network: The network beside it.
        generated: Verilog and manifest of the plane.
    """
    verdict = plane_verdict(plane, network)
    faults = (verdict.tree_fault, verdict.table_fault, verdict.wait_fault, verdict.size_fault)
    if not verdict.right:
        return Certificate(None, next((fault for fault in faults if fault), "the waits have a cycle"))
    files, evidence = _files(generated), {"order": verdict.order, "word_cycles": verdict.word_cycles}
    return checked_certificate(certificate_text(PLANE, evidence, files, generated.top), files, generated.top)


def digests_of_plane(generated: "GeneratedDesign") -> str:
    """Return the digests of a plane's modules as JSON, see ``digests_text``.

    Parameters:
        generated: Verilog and manifest of the plane.
    """
    return digests_text(_files(generated), generated.top)


def _files(generated: "GeneratedDesign") -> dict[str, str]:
    """Return Verilog and manifest under the names that they have in a network."""
    top = generated.top
    return {MANIFEST: generated.files[f"{top}.json"], f"{top}.v": generated.files[f"{top}.v"]}
