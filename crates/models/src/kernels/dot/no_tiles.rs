//! Where there is no instruction for tiles.

use crate::kernels::weights::PANEL;

/// Tile registers, of which there are none.
pub(in crate::kernels) enum Tiles {}

impl Tiles {
    /// Never called.
    pub(in crate::kernels) fn multiply(&self, _: &[u32], _: usize, _: usize, _: &[u32], _: &mut [[u32; PANEL]]) {
        match *self {}
    }

    /// Never called.
    pub(in crate::kernels) fn square(&self, _: usize, _: (&[u32], usize), _: (&[u32], usize), _: (&mut [u32], usize)) {
        match *self {}
    }

    /// Never called.
    pub(in crate::kernels) fn spin(&self, _: usize) -> usize {
        match *self {}
    }
}
