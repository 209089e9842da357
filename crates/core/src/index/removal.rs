//! Taking rows out of an index.
//!
//! What is left is exactly what an index made anew from the rows that are left would be, numbers of terms, sessions and
//! speakers included: so every score is. Texts are not analysed again, and nothing is read.

use super::{
    CueIndex, Index, OwnedRows, Titles,
    documents::{Documents, NONE},
};
use crate::store::{Removed, SegmentKind};

impl Index {
    pub(super) fn take_out(&mut self, gone: &Removed) {
        self.lose_segments(gone);
        let places = &self.documents.seq;
        let left: Vec<u32> =
            (0..).zip(places).filter(|(_, place)| !gone.memories.contains(**place)).map(|(text, _)| text).collect();
        let mut now = vec![NONE; places.len()];
        (0..).zip(&left).for_each(|(new, &old)| now[old as usize] = new);

        // They are taken again: numbers of sessions change, and a number may be given again.
        self.titles = Titles::default();
        // It remembers stems of words that are gone.
        self.analysis = self.spec.analyzer.session();
        let mut cues = CueIndex::like(&self.cues);
        let stays = |id, owner: u32| Some(now[owner as usize]).filter(|&new| new != NONE && !gone.cues.contains(id));
        cues.take(&self.cues, &self.cues.questions().postings.vocabulary(), stays);
        self.cues = cues;
        if left.len() == now.len() {
            return;
        }
        let mut documents = Documents::default();
        documents.take(&self.documents, left.iter().copied(), self.postings.lengths());
        self.documents = documents;
        self.postings.retain(&now, NONE);
        if let Some(dense) = &mut self.dense {
            dense.retain(|text| now[text] != NONE);
        }
        let mut windows = OwnedRows::like(&self.windows);
        windows.take(&self.windows, |_, owner| Some(now[owner as usize]).filter(|&new| new != NONE));
        self.windows = windows;
    }

    /// The store keeps no segment that holds something of what is gone.
    fn lose_segments(&mut self, gone: &Removed) {
        let (memories, mut cues) = (gone.memories.blocks(), gone.cues.blocks());
        for rows in [self.cues.questions().rows(), self.cues.passages()] {
            let of_gone = |owner: u32| gone.memories.contains(self.documents.seq[owner as usize]);
            let ids = rows.ids.iter().zip(&rows.owners).filter(|(_, owner)| of_gone(**owner)).map(|(id, _)| *id);
            cues.extend(crate::store::IdRanges::of(ids).blocks());
        }
        self.kept.retain(|(rows, block), _| match rows {
            SegmentKind::Memories => memories.binary_search(block).is_err(),
            SegmentKind::Cues => !cues.contains(block),
        });
    }
}
